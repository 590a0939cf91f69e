/**
 * Does one piece of work after the other, several at once. Aborted, or when one rejects, no more are begun.
 * @param next gives what is to be done next; undefined: nothing is left
 * @throws the first error, once everything that was begun is over
 */
export async function severalAtOnce<T>(
  atOnce: number,
  next: () => T | undefined,
  work: (one: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  const take = () => (errors.length > 0 || signal.aborted ? undefined : next());
  const worker = async () => {
    for (let one = take(); one !== undefined; one = take()) {
      try {
        await work(one);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (errors.length > 0) throw errors[0];
}
