import { PassThrough } from 'node:stream';
import type { TimelineEntry, TimelineEvent } from '../../src/call/timeline.js';
import { LiveWords } from '../../src/terminal/live-words.js';
import { Output } from '../../src/terminal/output.js';

beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => jest.useRealTimers());

/** What the last line of a terminal shows: words that are not heard yet stand behind `|`. */
function watched(canRewriteLines = true) {
  const output = new Output({ stdout: new PassThrough(), stderr: new PassThrough(), canRewriteLines });
  const shown: string[] = [];
  jest.spyOn(output, 'rewrite').mockImplementation((parts) => {
    const line = parts ? `${parts.head}${parts.heard.trimEnd()} | ${parts.upcoming}` : '';
    if (shown.at(-1) !== line) shown.push(line);
  });
  const words = new LiveWords(output, (call, { speaker }) => `${call} ${speaker}: `);
  const see = (call: string, entry: TimelineEntry) =>
    words.see(call, { at: Date.now(), source: 'bot', bot: 1, ...entry } as TimelineEvent);
  return { shown, see, words };
}

const saying = (text: string): TimelineEntry => ({ type: 'saying', text, startsAt: Date.now(), utterance: 1 });
const said = (text: string): TimelineEntry => ({ type: 'said', speaker: 'bot', text });

test('words are shown one by one, and the line goes when they are told as a whole', () => {
  const { shown, see } = watched();
  see('a', saying('One two six'));
  jest.advanceTimersByTime(4 * 65);
  jest.advanceTimersByTime(4 * 65);
  see('a', said('One two six'));
  jest.advanceTimersByTime(1_000);
  expect(shown).toEqual(['a bot: One | two six', 'a bot: One two | six', 'a bot: One two six | ', '']);
  expect(jest.getTimerCount()).toBe(0);
});

test('of several calls one is shown, until it has nothing to show', () => {
  const { shown, see, words } = watched();
  see('a', saying('Yes'));
  see('b', saying('No'));
  see('a', said('Yes'));
  see('b', { type: 'record', record: { state: 'ended' } } as TimelineEntry);
  see('a', { type: 'interim_transcript', text: 'I would' });
  words.close();
  expect(shown).toEqual(['a bot: Yes | ', 'b bot: No | ', '', 'a caller:  | I would', '']);
});

test('nothing is followed where lines cannot be written again', () => {
  const { shown, see } = watched(false);
  see('a', saying('One two'));
  expect(shown).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});
