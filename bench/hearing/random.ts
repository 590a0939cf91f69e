/** Numbers from 0 to 1 that look random and are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    // the low bits of such a generator repeat after a few numbers
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}
