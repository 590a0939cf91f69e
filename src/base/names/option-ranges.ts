type Range = readonly [value: number | undefined, smallest: number, largest: number];

/** @returns a sentence for each option that is given and out of its range */
export function rangeProblems(options: Readonly<Record<string, Range>>): string[] {
  return Object.entries(options)
    .filter(([, [value, least, most]]) => value !== undefined && !(value >= least && value <= most))
    .map(([name, [value, least, most]]) => `${name} must be ${least} to ${most}, got ${value}`);
}
