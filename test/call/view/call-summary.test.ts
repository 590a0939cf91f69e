import type { TimelineEvent } from '../../../src/call/timeline.js';
import { isForSummary, MAX_LAST_WORDS, summaryOf } from '../../../src/call/view/call-summary.js';
import { isUnheard } from '../../../src/call/view/unheard-speech.js';
import { madeCall } from './made-call.js';

const event = (at: number, rest: object) => ({ at, source: 'bot', bot: 1, ...rest }) as TimelineEvent;

test('a summary has the last words of either side, and the median wait for an answer', () => {
  expect(summaryOf(madeCall().events)).toEqual({
    lastWords: { speaker: 'bot', text: 'Goodbye, and see you' },
    answerMs: expect.closeTo(960, 0),
  });
});

test('a call in which nothing was said has no summary, and long words are cut', () => {
  expect(summaryOf([])).toBeUndefined();
  const said = event(1, { type: 'said', speaker: 'bot', text: 'x'.repeat(1_000) });
  expect(summaryOf([said])?.lastWords?.text).toHaveLength(MAX_LAST_WORDS);
});

test('speech counts as not understood a while after it has ended without a transcript', () => {
  const began = event(1_000, { type: 'speech_started', speaker: 'caller' });
  const stopped = event(2_000, { type: 'speech_stopped', speaker: 'caller' });
  const understood = event(2_300, { type: 'said', speaker: 'caller', text: 'Hello?' });
  expect(isUnheard([], 9_000)).toBe(false);
  expect(isUnheard([began], 9_000)).toBe(false);
  expect(isUnheard([began, stopped], 3_000)).toBe(false);
  expect(isUnheard([began, stopped], 4_000)).toBe(true);
  expect(isUnheard([began, stopped, understood], 4_000)).toBe(false);
});

test('a summary has what the code of the bot has thrown last, in one line, and where', () => {
  const thrown = (exception: object) =>
    event(1, { source: 'runner', type: 'output', line: 'pipeline: a handler failed', exception });
  const events = [
    thrown({ error: 'Error: first' }),
    thrown({ error: 'Error: a\nb', file: 'bot.ts', line: 7, column: 2 }),
  ];
  expect(summaryOf(events)).toEqual({ thrown: { error: 'Error: a', place: 'bot.ts:7:2' } });
  expect(events.every(isForSummary)).toBe(true);
  expect(isForSummary(event(1, { type: 'output', line: 'hello' }))).toBe(false);
  expect(summaryOf([thrown({ error: 'x'.repeat(1_000) })])?.thrown?.error).toHaveLength(MAX_LAST_WORDS);
});
