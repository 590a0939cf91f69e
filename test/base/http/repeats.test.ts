import { Repeats, realClock } from '../../../src/base/http/repeats.js';
import { ManualClock } from './manual-clock.js';

const policy = { times: 4, withinMs: 10_000 };

test('waits longer each time, by a random part, at most four times', async () => {
  for (let run = 0; run < 50; run += 1) {
    const clock = new ManualClock();
    const repeats = new Repeats(policy, clock);
    const went: boolean[] = [];
    for (let at = 0; at < 5; at += 1) went.push(await repeats.next());
    expect(went).toEqual([true, true, true, true, false]);
    for (const [at, ms] of clock.pauses.entries()) {
      expect(ms).toBeGreaterThanOrEqual(250 * 2 ** at);
      expect(ms).toBeLessThan(500 * 2 ** at);
    }
  }
});

test.each([
  [0, 250],
  [100, 250],
  [3_000, 3_000],
  [5_000, 5_000],
  [3_600_000, 5_000],
])('asked for %d ms it waits at least %d ms', async (askedMs, leastMs) => {
  const clock = new ManualClock();
  expect(await new Repeats(policy, clock).next(askedMs)).toBe(true);
  expect(clock.pauses[0]).toBeGreaterThanOrEqual(leastMs);
  expect(clock.pauses[0]).toBeLessThanOrEqual(Math.max(leastMs, 500));
});

test('begins no repetition later than ten seconds after the first try', async () => {
  const clock = new ManualClock();
  const repeats = new Repeats(policy, clock);
  await clock.pause(6_000);
  expect(await repeats.next(5_000)).toBe(false);
  expect(clock.now()).toBe(6_000);
  expect(await repeats.next(3_000)).toBe(true);
  expect(await repeats.next(3_000)).toBe(false);
});

test('a real pause ends with the reason of the abort', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const pausing = realClock.pause(60_000, abort.signal);
  abort.abort(reason);
  await expect(pausing).rejects.toBe(reason);
  await expect(realClock.pause(60_000, abort.signal)).rejects.toBe(reason);
});

test('a real pause passes, and the real clock goes on', async () => {
  const before = realClock.now();
  await realClock.pause(1);
  expect(realClock.now()).toBeGreaterThan(before);
});
