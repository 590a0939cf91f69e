import type { TimelineEvent } from '../../../src/call/timeline.js';
import { functionFailures, holds } from '../../../src/lab/scenario/called-functions.js';
import type { ExpectOptions } from '../../../src/lab/scenario/scenario-options.js';
import { at, missed, storyOf } from './stories.js';

/** A function that was called, and what it gave half a second later. The model counts its calls anew each time. */
const called = (
  ms: number,
  name: string,
  input: unknown,
  returned?: { output: unknown; errorType?: string },
): TimelineEvent[] => [
  at(ms, { type: 'tool_called', call: '0', name, input }),
  ...(returned
    ? [at(ms + 500, { type: 'tool_returned', call: '0', name, ms: 500, isError: 'errorType' in returned, ...returned })]
    : []),
];
const HOURS = called(2_000, 'hours', { day: 'Sunday', at: { h: 9 } }, { output: { open: false, from: 9 } });
const story = storyOf({ events: [...HOURS, ...called(5_000, 'end', {}, { output: 'ok' })] });

test.each<ExpectOptions>([
  {},
  { tools: ['hours', 'end'] },
  { tools: [{ name: 'hours', input: { day: 'Sunday' } }, { name: 'end' }] },
  { tools: [{ name: 'hours', input: { at: { h: 9 } } }, 'end'] },
  {
    tools: [
      { name: 'hours', result: { open: false } },
      { name: 'end', result: 'ok' },
    ],
  },
])('hold: %j', (expected) => {
  expect(missed(expected, story)).toEqual([]);
});

const happened = 'the model called hours({"day":"Sunday","at":{"h":9}}) = {"open":false,"from":9}, end({}) = ok';
test.each<[ExpectOptions, string]>([
  [{ tools: ['hours'] }, `tools: hours; ${happened} @ 5000`],
  [{ tools: ['end', 'hours'] }, `tools: end, hours; ${happened} @ 2000`],
  [{ tools: ['hours', 'end', 'end'] }, `tools: hours, end, end; ${happened}`],
  [
    { tools: [{ name: 'hours', input: { day: 'Monday' } }, 'end'] },
    `tools: hours({"day":"Monday"}), end; ${happened} @ 2000`,
  ],
  [
    { tools: [{ name: 'hours', input: { at: { m: 1 } } }, 'end'] },
    `tools: hours({"at":{"m":1}}), end; ${happened} @ 2000`,
  ],
  [
    { tools: [{ name: 'hours', result: { open: true } }, 'end'] },
    `tools: hours = {"open":true}, end; ${happened} @ 2000`,
  ],
  [{ tools: ['hours', { name: 'end', result: 'no' }] }, `tools: hours, end = no; ${happened} @ 5000`],
  [{ tools: ['hours', { name: 'end', fails: true }] }, `tools: hours, end failed; ${happened} @ 5000`],
  [{ tools: [] }, `tools: none; ${happened} @ 2000`],
])('do not hold: %j', (expected, failure) => {
  expect(missed(expected, story)).toEqual([failure]);
});

test('a list holds where it is as long, and each of it has what is named', () => {
  const menu = [{ name: 'tea', price: 5, stock: 9 }, 'none'];
  expect(holds({ items: menu }, { items: [{ name: 'tea', price: 5 }, 'none'] })).toBe(true);
  for (const named of [[{ name: 'tea' }], [{ name: 'cake' }, 'none'], ['none', { name: 'tea' }]])
    expect(holds({ items: menu }, { items: named })).toBe(false);
  expect(holds({ items: 'tea' }, { items: ['tea'] })).toBe(false);
  for (const value of [undefined, null, 'tea', ['tea']]) expect(holds(value, {})).toBe(false);
  expect(holds({ items: 1 }, {})).toBe(true);
});

test('none are called where none are expected', () => {
  expect(missed({ tools: [] }, storyOf())).toEqual([]);
  expect(missed({ tools: ['a'] }, storyOf())).toEqual(['tools: a; the model called none']);
});

describe('a function that fails', () => {
  const failing = (output: unknown, errorType = 'Error') =>
    storyOf({ events: called(2_000, 'balance', { pin: '1111' }, { output, errorType }) });
  const told = 'balance({"pin":"1111"}) failed: the database is down';

  test('fails a scenario that does not speak of it, whether it expects functions or not', () => {
    for (const expected of [{}, { tools: ['balance'] }, { tools: [{ name: 'balance', input: { pin: '1111' } }] }])
      expect(missed(expected, failing('the database is down'))).toEqual([
        `tools: that no function fails; ${told} @ 2000`,
      ]);
    expect(missed({}, failing('the input does not fit: pin: Required', 'invalid_input'))).toHaveLength(1);
    expect(missed({}, failing('there is no function balanc', 'unknown_function'))).toHaveLength(1);
    expect(missed({}, failing('no result within 10000 ms', 'timeout'))).toHaveLength(1);
  });

  test('is what one that expects it wants, by its words too; a result is none', () => {
    expect(missed({ tools: [{ name: 'balance', fails: true }] }, failing('the database is down'))).toEqual([]);
    expect(missed({ tools: [{ name: 'balance', fails: 'database' }] }, failing('the database is down'))).toEqual([]);
    expect(missed({ tools: [{ name: 'balance', fails: 'network' }] }, failing('the database is down'))).toEqual([
      `tools: balance failed: "network"; the model called ${told} @ 2000`,
    ]);
    expect(
      missed({ tools: [{ name: 'balance', result: 'the database is down' }] }, failing('the database is down')),
    ).toHaveLength(1);
  });

  test('is no failure where the caller has interrupted it, nor where the scenario has arranged it', () => {
    expect(missed({}, failing('cancelled: the caller spoke', 'cancelled'))).toEqual([]);
    const arranged = new Map([['balance', 'the database is down']]);
    expect(functionFailures(undefined, failing('the database is down'), arranged)).toEqual([]);
    expect(functionFailures(undefined, failing('the input does not fit: pin'), arranged)).toHaveLength(1);
  });
});

test('a result belongs to the call before it, though the model counts them alike; one that has not returned has none', () => {
  const events = [...HOURS, ...called(4_000, 'hours', {}, { output: 'closed' }), ...called(6_000, 'hours', {})];
  const expected: ExpectOptions = {
    tools: [{ name: 'hours', result: { open: false } }, { name: 'hours', result: 'closed' }, 'hours'],
  };
  expect(missed(expected, storyOf({ events }))).toEqual([]);
  expect(missed({ tools: ['hours', 'hours', { name: 'hours', result: 'x' }] }, storyOf({ events }))).toHaveLength(1);
});
