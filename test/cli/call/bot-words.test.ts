import { PassThrough } from 'node:stream';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { BotWords } from '../../../src/cli/call/bot-words.js';
import { Output } from '../../../src/terminal/output.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function listening() {
  const told: string[] = [];
  const words = new BotWords(new Output({ stdout: new PassThrough(), stderr: new PassThrough() }), {
    said: ({ text }) => told.push(text),
    understood: (text) => told.push(`understood ${text}`),
    speaksWithoutWords: () => told.push('speaks'),
    isSilentWithoutWords: () => told.push('silent'),
  });
  const see = (entry: TimelineEntry) => words.see({ at: Date.now(), source: 'bot', bot: 1, ...entry } as TimelineEvent);
  return { told, words, see };
}

test('where the words are told, nothing else is said of the bot, and what it has understood is told too', () => {
  const { told, words, see } = listening();
  words.speaks();
  see({ type: 'saying', text: 'Hello.', startsAt: 0, utterance: 1 });
  jest.advanceTimersByTime(1_000);
  words.isSilent();
  see({ type: 'said', speaker: 'caller', text: 'Hi.' });
  see({ type: 'said', speaker: 'bot', text: 'Hello.' });
  expect(told).toEqual(['understood Hi.', 'Hello.']);
});

test('where they are not, it is told that the bot speaks, and when it has stopped', () => {
  const { told, words, see } = listening();
  words.speaks();
  expect(told).toEqual([]);
  jest.advanceTimersByTime(400);
  expect(told).toEqual(['speaks']);
  words.isSilent();
  expect(told).toEqual(['speaks', 'silent']);
  see({ type: 'said', speaker: 'bot', text: 'Late.' });
  words.speaks();
  words.isSilent();
  jest.advanceTimersByTime(1_000);
  expect(told).toEqual(['speaks', 'silent', 'Late.']);
});

test('at the end of the call what the bot was saying is waited for, not for ever', async () => {
  const { told, words, see } = listening();
  await words.told();
  see({ type: 'saying', text: 'Goodbye.', startsAt: 0, utterance: 1 });
  const end = words.told().then(() => told.push('end'));
  see({ type: 'said', speaker: 'bot', text: 'Good', unheard: 'bye.' });
  await end;
  expect(told).toEqual(['Good', 'end']);
  see({ type: 'saying', text: 'Still there?', startsAt: 0, utterance: 2 });
  const late = words.told();
  await jest.advanceTimersByTimeAsync(500);
  await late;
});

test('when the runner tells nothing more in the middle of an utterance, it is told again that the bot speaks', async () => {
  const { told, words, see } = listening();
  see({ type: 'saying', text: 'Hello.', startsAt: 0, utterance: 1 });
  words.lost();
  words.speaks();
  jest.advanceTimersByTime(400);
  expect(told).toEqual(['speaks']);
  await words.told(); // waits for nothing
});
