import { changedResult, runMutated } from '../../../../src/bot/services/llm/mutated-function.js';
import { FUNCTIONS_URL_VARIABLE } from '../../../../src/call/lab-address.js';
import { MUTATION_VARIABLE } from '../../../../src/call/mutation.js';
import type { BotEntry } from '../../../../src/call/timeline.js';

beforeEach(() => {
  process.env[FUNCTIONS_URL_VARIABLE] = 'http://127.0.0.1:4711/secret/functions';
});
afterEach(() => {
  delete process.env[MUTATION_VARIABLE];
  delete process.env[FUNCTIONS_URL_VARIABLE];
});

/** What a function of the bot gives, which has run, and what was noted. */
async function ran(kind: string | undefined, name = 'balance', result: unknown = { amount: 1_250, currency: 'EUR' }) {
  if (kind) process.env[MUTATION_VARIABLE] = JSON.stringify({ kind, name: 'balance' });
  let runs = 0;
  const noted: BotEntry[] = [];
  const timeline = { note: (entry: BotEntry) => noted.push(entry), during: <T>(_: unknown, work: () => T) => work() };
  const execute = () => {
    runs += 1;
    return result;
  };
  const gives = await Promise.resolve()
    .then(() => runMutated(name, execute, timeline))
    .catch((error: Error) => error);
  return { gives, runs, isNoted: noted.length > 0 };
}

test('a function that throws does not run', async () => {
  expect(await ran('function_throws')).toEqual({ gives: new Error('broken by a test'), runs: 0, isNoted: true });
});

test('a function that returns nothing, or something else, has run', async () => {
  expect(await ran('function_returns_nothing')).toEqual({ gives: null, runs: 1, isNoted: true });
  expect(await ran('function_result_changed')).toEqual({
    gives: { amount: 125_000, currency: 'other' },
    runs: 1,
    isNoted: true,
  });
});

test('other functions, and those of a bot that is not broken, are as they are', async () => {
  const gives = { amount: 1_250, currency: 'EUR' };
  expect(await ran('function_throws', 'rates')).toEqual({ gives, runs: 1, isNoted: false });
  delete process.env[MUTATION_VARIABLE];
  expect(await ran(undefined)).toEqual({ gives, runs: 1, isNoted: false });
});

test.each<[unknown, unknown]>([
  [5, 500],
  [0, 100],
  [true, false],
  ['closed', 'other'],
  ['other', 'another'],
  [null, 'other'],
  [undefined, 'other'],
  [[1, 2], [2]],
  [[], ['other']],
  [
    { a: { b: 1 }, c: [] },
    { a: { b: 100 }, c: ['other'] },
  ],
])('%j is changed to %j', (result, changed) => {
  expect(changedResult(result)).toEqual(changed);
});
