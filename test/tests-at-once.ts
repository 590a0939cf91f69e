/**
 * Tests of calls, which mostly wait: several run at once, in a hook, because between the tests of a file jest refuses what
 * the code under test imports lazily. Each is reported under its own name.
 * @param limitMs for all of them, in milliseconds
 * @param atOnce calls that go on at the same time
 */
export function testsAtOnce(
  scenarios: Readonly<Record<string, () => Promise<void>>>,
  limitMs: number,
  atOnce = 2,
): void {
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    const waiting = Object.entries(scenarios);
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, run] = next;
        await run().catch((failure: unknown) => failures.set(name, failure));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }, limitMs);

  test.each(Object.keys(scenarios))('%s', (name) => {
    if (failures.has(name)) throw failures.get(name);
  });
}
