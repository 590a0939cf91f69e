import { mistakesIn, signatureOf } from '../../../src/lab/fuzz/always-holds.js';
import type { CallStory, Failure } from '../../../src/lab/scenario/call-story.js';
import { at, said, storyOf } from '../scenario/stories.js';

const mistakes = (failures: readonly Failure[], story: Partial<CallStory> = {}) =>
  mistakesIn({ failures }, storyOf(story), { arranged: new Set(['arranged']) }).map(
    ({ field, happened }) => `${field}: ${happened}`,
  );
const failure = (field: string, happened = 'x', kind?: Failure['kind']): Failure => ({
  kind,
  field,
  expected: 'y',
  happened,
});

test('a bot that broke, no end, a limit, silence, what was not heard and a secret are mistakes of the bot', () => {
  const all = ['bot', 'end', 'limit', 'silentAtMost', 'contextAsHeard', 'nowhere', 'call'];
  expect(mistakes(all.map((field) => failure(field)))).toEqual(all.map((field) => `${field}: x`));
});

test('what a random caller brings about is none: steps not done, nothing measured, a model without an answer', () => {
  const none = [
    failure('caller[2].press'),
    failure('then[0].caller[0].hear'),
    failure('contextAsHeard', 'nothing was measured: no model was asked'),
    failure('model', 'no rule answers "hm"'),
    failure('tools', 'balance({}) failed: the input does not fit'),
    failure('tools.balance', 'it was never called'),
    failure('expect'),
  ];
  expect(mistakes(none)).toEqual([]);
});

describe('functions', () => {
  const events = (errorType: string, name = 'balance') => [
    at(2_000, { type: 'tool_called', call: '0', name, input: {} }),
    at(2_100, { type: 'tool_returned', call: '0', name, output: 'no', isError: true, ms: 1, errorType }),
  ];

  test('that throw or take too long are mistakes', () => {
    for (const errorType of ['TypeError', 'timeout'])
      expect(mistakes([], { events: events(errorType) })).toEqual(['tools: balance({}) failed: no']);
  });

  test('that refuse what was made up, do not exist, or were interrupted are none', () => {
    for (const errorType of ['invalid_input', 'unknown_function', 'cancelled'])
      expect(mistakes([], { events: events(errorType) })).toEqual([]);
    expect(mistakes([], { events: events('Error', 'arranged') })).toEqual([]);
  });
});

describe('the same sentence', () => {
  const twice = (secondMs: number, ...between: CallStory['events']) =>
    mistakes([], {
      events: [said(1_000, 'bot', 'Please press one.'), ...between, said(secondMs, 'bot', 'Please press one.')],
    });

  test('again at once is a mistake', () => {
    expect(twice(3_500)).toEqual(['nothingTwice: the bot said "Please press one." again, 0.50 s after it had ended']);
  });

  test('is none after a pause, after a key, after the caller has spoken, and for another bot', () => {
    expect(twice(9_000)).toEqual([]);
    expect(twice(3_500, at(3_200, { type: 'keys', direction: 'in', keys: '7' }))).toEqual([]);
    expect(twice(3_500, at(3_200, { type: 'speech_started', speaker: 'caller' }))).toEqual([]);
    expect(twice(3_500, at(3_200, { type: 'caller_joined' }))).toEqual([]);
  });

  test('of a word or two is none', () => {
    expect(mistakes([], { events: [said(1_000, 'bot', 'One moment.'), said(3_200, 'bot', 'One moment.')] })).toEqual(
      [],
    );
  });
});

test('mistakes are alike by field, broken bots by their error', () => {
  const broke = (happened: string) => signatureOf(failure('bot', happened, 'broke'));
  expect(broke('Error: lost, at bot.ts:5: its process ended')).toBe(
    broke('Error: lost, at bot.ts:5: its process ended by itself'),
  );
  expect(broke('Error: lost, at bot.ts:5: its process ended')).not.toBe(
    broke('Error: gone, at bot.ts:9: its process ended'),
  );
  expect(signatureOf(failure('silentAtMost', 'for 9 s'))).toBe(signatureOf(failure('silentAtMost', 'for 12 s')));
});
