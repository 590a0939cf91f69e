export interface FoundNumber {
  /** The largest number that was fine; 0 when not even one was. */
  readonly calls: number;
  /** The smallest that was not; undefined when the most that is tried was fine. */
  readonly tooMany: number | undefined;
}

/** Between the largest that is fine and the smallest that is not, as a share of the first. */
const PRECISION = 0.03;

/**
 * Finds the largest number that is fine: doubles until one is not, then halves the distance, to 3 per cent. One that is not fine is
 * tried once more: something else may have kept the machine busy.
 * @param first tried first, 1 or more @param most the largest that is tried
 */
export async function findLargest(
  { first, most }: { readonly first: number; readonly most: number },
  isFine: (calls: number) => Promise<boolean>,
): Promise<FoundNumber> {
  const isMet = async (calls: number) => (await isFine(calls)) || (await isFine(calls));
  let fine = 0;
  let next = Math.min(first, most);
  let tooMany: number | undefined;
  while (tooMany === undefined) {
    if (!(await isMet(next))) tooMany = next;
    else if (next === most) return { calls: most, tooMany: undefined };
    else [fine, next] = [next, Math.min(2 * next, most)];
  }
  while (tooMany - fine > Math.max(1, PRECISION * fine)) {
    const middle = Math.floor((fine + tooMany) / 2);
    if (await isMet(middle)) fine = middle;
    else tooMany = middle;
  }
  return { calls: fine, tooMany };
}
