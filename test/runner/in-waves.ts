/** Does something that many times, `wave` of them at once: a busy machine does not answer a hundred requests at once in time. */
export async function inWaves<T>(count: number, wave: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) {
    const first = results.length;
    const size = Math.min(wave, count - first);
    results.push(...(await Promise.all(Array.from({ length: size }, (_, n) => work(first + n)))));
  }
  return results;
}
