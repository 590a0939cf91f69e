import type { TimelineEntry } from '../../../src/call/timeline.js';
import { placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { PlayedFunctions } from '../../../src/lab/scenario/played-functions.js';
import { at } from './stories.js';

const place = (tools: unknown) => placeScenario({ name: 'a', tools }, '/a.yaml', () => 7);

function problemsOf(tools: unknown): string[] {
  const placed = place(tools);
  return Array.isArray(placed) ? placed.map(({ line, field, message }) => `${line}: ${field} ${message}`) : [];
}

function played(tools: object): PlayedFunctions {
  const placed = place(tools);
  if (Array.isArray(placed)) throw new Error(JSON.stringify(placed));
  return new PlayedFunctions(placed.tools);
}

test('a function gives what the scenario says, whatever JSON that is, and how long it takes in milliseconds', () => {
  const functions = played({
    balance: { returns: { amount: 1_250 } },
    nothing: { returns: null, takes: '1.5s' },
    transfer: { fails: 'the database is down', takes: '300ms' },
    slow: { takes: '3s' },
  });
  expect(functions.answer('balance')).toEqual({ returns: { amount: 1_250 } });
  expect(functions.answer('nothing')).toEqual({ returns: null, takesMs: 1_500 });
  expect(functions.answer('transfer')).toEqual({ fails: 'the database is down', takesMs: 300 });
  expect(functions.answer('slow')).toEqual({ takesMs: 3_000 });
  expect(functions.answer('constructor')).toBeUndefined();
});

test('what is wrong with a played function is told with its line and its name', () => {
  expect(
    problemsOf({
      a: {},
      b: { returns: 1, fails: 'x' },
      c: { fails: '' },
      d: { takes: 3 },
      e: { return: 1 },
      f: 'closed',
      g: { returns: undefined, takes: '3s' },
      h: { returns: 5n },
    }),
  ).toEqual([
    '7: tools.a needs returns, fails or takes',
    '7: tools.b has returns or fails, not both',
    '7: tools.c.fails must not be empty',
    '7: tools.d.takes must be a time with its unit, such as 2s or 300ms',
    '7: tools.e.return is not known: did you mean returns?',
    '7: tools.e needs returns, fails or takes',
    '7: tools.f must say what it gives, such as { returns: 5 } or { fails: the database is down }',
    '7: tools.g.returns is no JSON: write null for nothing',
    '7: tools.h.returns is no JSON: write null for nothing',
  ]);
  expect(problemsOf(['balance'])).toEqual([
    '7: tools must be functions with what they give, such as { balance: { returns: 5 } }',
  ]);
});

describe('a function that was not played has shown nothing', () => {
  const called: TimelineEntry = { type: 'tool_called', call: '1', name: 'balance', input: {} };
  const returned = (output: unknown, isError: boolean): TimelineEntry => ({
    type: 'tool_returned',
    call: '1',
    name: 'balance',
    output,
    isError,
    ms: 1,
  });
  test.each<[string, TimelineEntry[], string]>([
    ['never called', [{ ...called, name: 'other' }], 'it was never called'],
    [
      'that the bot does not have',
      [called, returned('there is no function balance', true)],
      'it was called, and not played: there is no function balance',
    ],
    [
      'whose input was refused',
      [called, returned('the input does not fit: account', true)],
      'it was called, and not played: the input does not fit: account',
    ],
    ['that had not begun', [called], 'it was called, and had not begun when the call was over'],
    [
      'that the bot ran by itself',
      [called, returned(5, false)],
      'it was called, and the bot ran its own: it uses another copy of voicebot than this one',
    ],
  ])('one %s', (_, entries, happened) => {
    const functions = played({ balance: { returns: 5 } });
    expect(functions.failuresIn(entries.map((entry, no) => at(no, entry)))).toEqual([
      { field: 'tools.balance', expected: 'that the model calls it', happened },
    ]);
  });

  test('one for which the lab could not be asked is told, also when the scenario does not play it', () => {
    const words = 'The lab could not play a function, and it has not run: hours: no answer';
    const lost = { ...returned(words, true), name: 'hours', errorType: 'VB_FUNCTION_NOT_PLAYED' } as TimelineEntry;
    expect(played({}).failuresIn([at(1, lost), at(2, returned('the database is down', true))])).toEqual([
      { field: 'tools.hours', expected: 'that it is played, or runs', happened: words },
    ]);
  });

  test.each([
    ['another', ['transfer', 'balances'], ', and the bot has no such function: did you mean balances?'],
    ['none like it', ['transfer'], ', and the bot has no such function: there are transfer'],
    ['it', ['balance'], ''],
  ])('one that was never called, where the model was offered %s', (_, offered, words) => {
    expect(played({ balance: { returns: 5 } }).failuresIn([], offered)).toMatchObject([
      { field: 'tools.balance', happened: `it was never called${words}` },
    ]);
  });

  test('one that was played is no failure', () => {
    const functions = played({ balance: { returns: 5 } });
    functions.answer('balance');
    expect(functions.failuresIn([])).toEqual([]);
  });
});
