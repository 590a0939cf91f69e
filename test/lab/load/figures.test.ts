import { findLargest } from '../../../src/lab/load/find-largest.js';
import { figuresOf, type LoadCall, spreadOf } from '../../../src/lab/load/load-figures.js';
import { DEFAULT_LIMITS, judge } from '../../../src/lab/load/load-limits.js';
import { type LoadSecond, plotOf } from '../../../src/lab/load/load-plot.js';
import { limitWords, tableOf } from '../../../src/lab/load/load-table.js';
import { call as goodCall } from './outcomes.js';

const call = (no: number, changed: Partial<LoadCall> = {}) => goodCall(no, { firstWordMs: 100 * no, ...changed });
const second = (live: number, changed: Partial<LoadSecond> = {}): LoadSecond => ({
  dialled: live,
  live,
  over: 0,
  wrong: 0,
  firstWordsMs: [],
  heardMs: 1_000,
  missingMs: 0,
  cpuPercent: 5,
  usedPercent: undefined,
  ...changed,
});

/** What was tried to find `capacity`. */
async function triedFor(capacity: number, { first = 50, most = 1_000 } = {}) {
  const tried: number[] = [];
  const found = await findLargest({ first, most }, async (calls) => {
    tried.push(calls);
    return calls <= capacity ? 'fine' : 'too_many';
  });
  return { found, tried };
}

test.each([1, 3, 37, 50, 51, 333, 640, 999])('finds %i within three per cent', async (capacity) => {
  const { found } = await triedFor(capacity);
  expect(found.calls).toBeLessThanOrEqual(capacity);
  expect(capacity - found.calls).toBeLessThanOrEqual(Math.max(0, 0.03 * capacity));
  expect(found.tooMany).toBeGreaterThan(capacity);
});

test('doubles until a number is too many, tries that once more, then bisects', async () => {
  const { tried } = await triedFor(150);
  expect(tried).toEqual([50, 100, 200, 200, 150, 175, 175, 162, 162, 156, 156, 153, 153]);
});

test('says when not even one call is fine, and when the most that is tried is', async () => {
  expect((await triedFor(0, { first: 4 })).found).toEqual({ calls: 0, tooMany: 1 });
  expect(await triedFor(5_000, { most: 120 })).toEqual({
    found: { calls: 120, tooMany: undefined },
    tried: [50, 100, 120],
  });
});

test('a number that is too many only once, because the machine was busy, counts as fine', async () => {
  let isBusy = true;
  const found = await findLargest({ first: 10, most: 20 }, async () => {
    const wasBusy = isBusy;
    isBusy = false;
    return wasBusy ? 'too_many' : 'fine';
  });
  expect(found.calls).toBe(20);
});

test('a number that is far too many is not tried again', async () => {
  const tried: number[] = [];
  const found = await findLargest({ first: 10, most: 40 }, async (calls) => {
    tried.push(calls);
    return calls <= 10 ? 'fine' : 'far_too_many';
  });
  expect(found).toEqual({ calls: 10, tooMany: 11 });
  expect(tried).toEqual([10, 20, 15, 12, 11]);
});

test('the figures of calls: spreads, what was missing, what became of them and why', () => {
  const calls = [
    ...Array.from({ length: 97 }, (_, at) => call(at + 1)),
    call(98, { missingMs: 60, longestGapMs: 40 }),
    call(99, {
      outcome: 'turned_away',
      why: 'turned away (busy)',
      setUpMs: undefined,
      firstWordMs: undefined,
      heardMs: 0,
    }),
    call(100, { outcome: 'failed', why: 'the bot vanished' }),
  ];
  const figures = figuresOf(calls);
  expect(figures.firstWordMs).toMatchObject({ count: 99, p50: 5_000, p95: 9_500, max: 10_000 });
  expect(figures.setUpMs?.count).toBe(99);
  expect(figures.gapMs).toMatchObject({ count: 99, p95: 0, max: 40 });
  expect(figures.missingPercent).toBeCloseTo(0.061, 3);
  expect(figures.outcomes).toEqual({ live: 0, done: 98, turned_away: 1, ended_early: 0, failed: 1 });
  expect(figures.reasons).toContainEqual({ why: 'turned away (busy)', calls: 1 });
});

test('limits: each is held against its figure, and a bot that nobody heard breaks that of the first word', () => {
  const fine = judge(figuresOf([call(1), call(2)]), DEFAULT_LIMITS);
  expect(fine.filter(({ isMet }) => !isMet)).toEqual([]);
  const silent = call(1, { firstWordMs: undefined, heardMs: 0, outcome: 'failed', why: 'gone' });
  const broken = judge(figuresOf([silent]), DEFAULT_LIMITS).filter(({ isMet }) => !isMet);
  expect(broken.map(limitWords)).toEqual([
    'first word, p95: not heard (limit 2000 ms)',
    'calls that went wrong: 100 % (limit 0 %)',
  ]);
});

test('calls in which the bot was not heard break the limit of the first word when they are more than 5 of 100', () => {
  const unheard = (no: number) => call(no, { firstWordMs: undefined, heardMs: 0 });
  const of = (heard: number, silent: number, firstWordMs = 100) =>
    judge(
      figuresOf([
        ...Array.from({ length: heard }, (_, at) => call(at + 1, { firstWordMs })),
        ...Array.from({ length: silent }, (_, at) => unheard(heard + at + 1)),
      ]),
      DEFAULT_LIMITS,
    ).find(({ name }) => name === 'firstWordMs');
  expect(of(19, 1)).toMatchObject({ isMet: true, value: 100 });
  expect(of(18, 2)).toMatchObject({ isMet: false, value: undefined });
  expect(of(18, 2, 3_000)).toMatchObject({ isMet: false, value: 3_000 });
});

test('a percentile is the least value that so many per cent of all do not exceed', () => {
  const spread = (slow: number) => spreadOf(Array.from({ length: 100 }, (_, no) => (no < slow ? 3_000 : 500)));
  expect(spread(5)).toEqual({ count: 100, p50: 500, p95: 500, p99: 3_000, max: 3_000 });
  expect(spread(6)).toMatchObject({ p95: 3_000 });
  expect(spreadOf(Array.from({ length: 20 }, (_, no) => no))).toEqual({ count: 20, p50: 9, p95: 18, p99: 19, max: 19 });
  expect(spreadOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7, max: 7 });
});

test('the table has a row for each figure, with units, and says what was not measured', () => {
  const lines = tableOf(figuresOf([call(1), call(2, { outcome: 'failed', why: 'it broke' })]), undefined, undefined);
  expect(lines.find((line) => line.startsWith('first word'))).toMatch(/100 ms +200 ms +200 ms +2 calls$/);
  expect(lines).toContain('calls: 1 done, 1 failed');
  expect(lines).toContain('  1 × it broke');
  expect(lines).toContain('CPU and memory of the bots: not measured here');
});

test('the plot: a line of blocks for each figure that there is, as wide as the terminal at most', () => {
  const seconds = Array.from({ length: 8 }, (_, at) => second(at + 1, at === 7 ? { missingMs: 1_000 } : {}));
  const [calls, missing, axis] = plotOf(seconds, 80);
  expect(calls).toBe('calls       ▁▂▃▄▅▆▇█ 8');
  expect(missing).toBe('missing            █ 50 %');
  expect(axis?.trim()).toMatch(/^0 +8 s$/);
  const long = plotOf(
    Array.from({ length: 600 }, (_, at) => second(at)),
    60,
  );
  for (const line of long) expect(line.length).toBeLessThanOrEqual(60);
  expect(plotOf([], 80)).toEqual([]);
});
