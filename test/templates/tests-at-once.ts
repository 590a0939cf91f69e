/** Calls that go on at the same time on a small machine. */
const AT_ONCE = 2;

/**
 * Tests of calls, which mostly wait: several run at once, in a hook, because between the tests of a file jest refuses what
 * the code under test imports lazily. Each is reported under its own name.
 * @param limitMs for all of them, in milliseconds
 */
export function testsAtOnce(scenarios: Readonly<Record<string, () => Promise<void>>>, limitMs: number): void {
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    const waiting = Object.entries(scenarios);
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, run] = next;
        await run().catch((failure: unknown) => failures.set(name, failure));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }, limitMs);

  test.each(Object.keys(scenarios))('%s', (name) => {
    if (failures.has(name)) throw failures.get(name);
  });
}
