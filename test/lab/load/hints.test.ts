import { adviceOf, machineWords, turnedAwayHint } from '../../../src/lab/load/load-hints.js';
import { call, outcomeOf, turnedAway } from './outcomes.js';

const SERVING = { warm: 1, callsPerProcess: 1, loads: [1_100, 1_200, 1_900] };

const calls = (count: number) => Array.from({ length: count }, (_, at) => call(at + 1));
const away = (count: number) => Array.from({ length: count }, (_, at) => turnedAway(100 + at));

test('callers who were turned away: what a process takes to load here, and how many to keep ready or to share', () => {
  expect(turnedAwayHint(outcomeOf([...calls(9), ...away(21)]), SERVING)).toBe(
    '21 calls were turned away because no bot was ready: a bot process takes 1.2 s to load here. Keep more ready with ' +
      '--warm 22 (about 130 MiB each), or let calls share processes with --calls-per-process 5',
  );
  expect(turnedAwayHint(outcomeOf([...calls(9), turnedAway(10)]), SERVING)).toMatch(
    /^1 call was turned away .* --warm 2 /,
  );
});

test('no hint where nobody was turned away, and for a server of one’s own', () => {
  expect(turnedAwayHint(outcomeOf(calls(9)), SERVING)).toBeUndefined();
  expect(turnedAwayHint(outcomeOf(away(3)), { ...SERVING, loads: [] })).toBeUndefined();
});

test('no more processes are named than the setting takes', () => {
  expect(turnedAwayHint(outcomeOf([...calls(1), ...away(500)]), SERVING)).toContain('--warm 100 ');
});

test('what was used, in words', () => {
  expect(machineWords(outcomeOf(calls(2)))).toBe(
    'runner and bots used up to 18 % and the callers 9 % of 2 cores (200 %), and 61 % of the memory was free',
  );
  expect(machineWords(outcomeOf(calls(2), { botsPercent: undefined }))).toBe(
    'the callers used up to 9 % of 2 cores (200 %), and 61 % of the memory was free',
  );
});

test.each([
  ['everything idle', {}, 'a bigger machine would not help'],
  ['busy processors', { botsPercent: 150, callersPercent: 30, busyPercent: 95 }, 'more or faster ones would help'],
  [
    'busy by others',
    { botsPercent: 20, callersPercent: 10, busyPercent: 99 },
    'Other programs kept the processors busy (99 %',
  ],
  ['callers exhausted', { callersPercent: 96, busyPercent: 60 }, 'The callers had no processor time left'],
  ['no memory', { freeMemoryPercent: 2 }, 'The memory was used up'],
  ['an unknown server', { botsPercent: undefined }, '--pid'],
])('what would help: %s', (_, machine, advice) => {
  expect(adviceOf(outcomeOf(calls(3), machine), SERVING)).toContain(advice);
});

test('one process that uses a whole core is told where calls share processes, and not else', () => {
  const oneCore = outcomeOf(calls(3), { cores: 8, botsPercent: 98 });
  expect(adviceOf(oneCore, { ...SERVING, callsPerProcess: 100 })).toContain('a smaller --calls-per-process');
  expect(adviceOf(oneCore, SERVING)).toContain('a bigger machine would not help');
});

test('being turned away comes first', () => {
  expect(adviceOf(outcomeOf([...calls(1), ...away(2)], { freeMemoryPercent: 1 }), SERVING)).toContain('--warm 3');
});
