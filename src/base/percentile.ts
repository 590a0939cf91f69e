/** The least of the values that so large a share of them does not exceed; undefined where there are none. @param share 0 to 1 */
export function percentileOf(values: readonly number[], share: number): number | undefined {
  const at = Math.ceil(values.length * share - 1e-9) - 1; // 0.95 of 20 are 19, and not a little more
  return values.toSorted((a, b) => a - b)[Math.max(0, at)];
}

/** Of an even number of values the lower one of the two in the middle. */
export const medianOf = (values: readonly number[]): number | undefined => percentileOf(values, 0.5);
