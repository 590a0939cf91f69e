export interface FoundNumber {
  /** The largest number that is fine; 0 when not even one was. */
  readonly calls: number;
  /** The smallest that was not; undefined when the most that is tried was fine. */
  readonly tooMany: number | undefined;
}

/** How a number went: `far_too_many` is not to be mistaken for a machine that was busy for a moment. */
export type TriedNumber = 'fine' | 'too_many' | 'far_too_many';

/** Between the largest that is fine and the smallest that is not, as a share of the first. */
const PRECISION = 0.03;

/**
 * Finds the largest number that is fine: doubles until one is not, then halves the distance. One that is not fine is tried once more,
 * unless it is far too many: something else may have kept the machine busy.
 * @param first tried first, 1 or more @param most the largest that is tried @param precision as a share; default 0.03
 */
export async function findLargest(
  {
    first,
    most,
    precision = PRECISION,
  }: { readonly first: number; readonly most: number; readonly precision?: number },
  tryOnce: (calls: number) => Promise<TriedNumber>,
): Promise<FoundNumber> {
  const isMet = async (calls: number) => {
    const went = await tryOnce(calls);
    return went === 'fine' || (went === 'too_many' && (await tryOnce(calls)) === 'fine');
  };
  let fine = 0;
  let next = Math.min(first, most);
  let tooMany: number | undefined;
  while (tooMany === undefined) {
    if (!(await isMet(next))) tooMany = next;
    else if (next === most) return { calls: most, tooMany: undefined };
    else [fine, next] = [next, Math.min(2 * next, most)];
  }
  while (tooMany - fine > Math.max(1, precision * fine)) {
    const middle = Math.floor((fine + tooMany) / 2);
    if (await isMet(middle)) fine = middle;
    else tooMany = middle;
  }
  return { calls: fine, tooMany };
}
