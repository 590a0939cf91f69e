import type { LoadOutcomeReport } from '../../../src/lab/load/load-outcome.js';
import { SearchedNumber, type SearchKind, searchNumbers } from '../../../src/lab/load/search-numbers.js';
import { searchLines, tooManyWords } from '../../../src/lab/load/search-words.js';
import { call, outcomeOf, turnedAway } from './outcomes.js';

const SERVING = { warm: 1, callsPerProcess: 100, loads: [1_200] };

const numbers = () => ({ steady: new SearchedNumber('steady'), burst: new SearchedNumber('burst') });

/** As so many calls go when their first word comes so late. */
const went = (calls: number, firstWordMs: number): LoadOutcomeReport =>
  outcomeOf(Array.from({ length: calls }, (_, at) => call(at + 1, { firstWordMs })));

/** A machine that holds so many of each. @returns what was tried */
function machine(capacity: Readonly<Record<SearchKind, number>>) {
  const tried: Array<[SearchKind, number]> = [];
  const tryCalls = async (kind: SearchKind, calls: number) => {
    tried.push([kind, calls]);
    return went(calls, calls <= capacity[kind] ? 400 : 2_240);
  };
  return { tried, tryCalls };
}

test('both numbers are found, how many go on first, and a burst is no larger', async () => {
  const found = numbers();
  const { tried, tryCalls } = machine({ steady: 120, burst: 43 });
  await searchNumbers(1_000, found, tryCalls);
  expect(found.steady.calls).toBeGreaterThan(114);
  expect(found.steady.calls).toBeLessThanOrEqual(120);
  expect(found.burst.calls).toBeGreaterThanOrEqual(41);
  expect(found.burst.calls).toBeLessThanOrEqual(43);
  expect(found.burst.tooMany?.calls).toBeGreaterThan(43);
  expect(tried.map(([kind]) => kind).lastIndexOf('steady')).toBeLessThan(tried.map(([kind]) => kind).indexOf('burst'));
  expect(Math.max(...tried.flatMap(([kind, calls]) => (kind === 'burst' ? [calls] : [])))).toBeLessThanOrEqual(
    found.steady.calls,
  );
});

test('each number is told with the limit that broke, what was used then, and what would help', async () => {
  const found = numbers();
  await searchNumbers(1_000, found, machine({ steady: 120, burst: 43 }).tryCalls);
  expect(searchLines(found.burst, SERVING)).toEqual([
    expect.stringMatching(/^4[123] calls within one second$/),
    expect.stringMatching(/^at 4[45]: first word, p95: 2240 ms \(limit 2000 ms\)$/),
    'runner and bots used up to 18 % and the callers 9 % of 2 cores (200 %), and 61 % of the memory was free',
    'Processors and memory were idle: a bigger machine would not help; look at what the bot waits for',
  ]);
  expect(searchLines(found.steady, SERVING)[0]).toMatch(/^1\d\d calls at the same time$/);
});

test('calls that went wrong are told before what else was bad, with the reason', async () => {
  const found = numbers();
  await searchNumbers(16, found, async (_, calls) =>
    calls === 1
      ? went(1, 100)
      : outcomeOf([
          call(1, { firstWordMs: 9_000 }),
          ...Array.from({ length: calls - 1 }, (_, at) => turnedAway(at + 2)),
        ]),
  );
  const [first, why, , advice] = searchLines(found.steady, { ...SERVING, callsPerProcess: 1 });
  expect(first).toBe('1 call at the same time');
  expect(why).toBe('at 2: calls that went wrong: 50 % (limit 0 %): turned away: no bot was ready');
  expect(advice).toContain('--warm 2');
});

test('the most that is tried, when that is fine', async () => {
  const found = numbers();
  await searchNumbers(8, found, machine({ steady: 100, burst: 100 }).tryCalls);
  expect(searchLines(found.steady, SERVING)).toEqual(['8 calls at the same time, and more were not tried']);
  expect(searchLines(found.burst, SERVING)).toEqual(['8 calls within one second, and more were not tried']);
});

test('a number that was too many once does not hide those above it that are', async () => {
  const found = numbers();
  let isBusy = true;
  await searchNumbers(16, found, async (kind, calls) => {
    if (kind === 'steady') return went(calls, 100);
    const wasBusy = isBusy && calls === 2;
    isBusy &&= !wasBusy;
    return went(calls, wasBusy || calls > 3 ? 2_240 : 100);
  });
  expect(found.burst.calls).toBe(3);
  expect(found.burst.tooMany?.calls).toBe(4);
  expect(searchLines(found.burst, SERVING)[1]).toMatch(/^at 4: first word/);
});

test('a burst of all that may go on is told as that', async () => {
  const found = numbers();
  await searchNumbers(1_000, found, machine({ steady: 20, burst: 100 }).tryCalls);
  expect(searchLines(found.burst, SERVING)).toEqual(['20 calls within one second: all that may go on']);
});

test('not even one: no burst is tried then', async () => {
  const found = numbers();
  const { tried, tryCalls } = machine({ steady: 0, burst: 0 });
  await searchNumbers(8, found, tryCalls);
  expect(tried.every(([kind]) => kind === 'steady')).toBe(true);
  expect(searchLines(found.steady, SERVING)[0]).toBe('Calls at the same time: not even one');
  expect(searchLines(found.burst, SERVING)).toEqual(['Calls within one second: not tried']);
});

test('a search that is stopped has told what it knows of both', async () => {
  const found = numbers();
  const { tryCalls } = machine({ steady: 60, burst: 43 });
  let bursts = 0;
  const stopped = searchNumbers(1_000, found, async (kind, calls) => {
    if (kind === 'burst') bursts += 1;
    if (bursts === 2) throw new Error('stopped');
    return await tryCalls(kind, calls);
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(searchLines(found.steady, SERVING)[0]).toMatch(/^(5[789]|60) calls at the same time$/);
  expect(searchLines(found.burst, SERVING)).toEqual(['16 calls within one second so far']);
});

test('a number that was too many once and then was fine is not told as too many', async () => {
  const found = numbers();
  let isBusy = true;
  await searchNumbers(16, found, async (_, calls) => {
    const wasBusy = isBusy;
    isBusy = false;
    return went(calls, wasBusy ? 2_100 : 100);
  });
  expect(found.steady.tooMany).toBeUndefined();
  expect(found.steady.isAll).toBe(true);
});

test('one call is too many, and several are', () => {
  expect(tooManyWords('steady', 1)).toBe('1 call at the same time is too many');
  expect(tooManyWords('burst', 2)).toBe('2 calls within one second are too many');
});
