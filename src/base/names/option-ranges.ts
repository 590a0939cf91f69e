/** @param options `[value, smallest, largest]` by name @returns a sentence for each that is out of its range */
export function rangeProblems(options: Readonly<Record<string, readonly [number, number, number]>>): string[] {
  return Object.entries(options)
    .filter(([, [value, least, most]]) => !(value >= least && value <= most))
    .map(([name, [value, least, most]]) => `${name} must be ${least} to ${most}, got ${value}`);
}
