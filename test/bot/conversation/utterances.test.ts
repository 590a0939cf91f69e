import { Utterances } from '../../../src/bot/conversation/utterances.js';
import { InterimTranscriptionFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

function collecting() {
  const said: string[] = [];
  const utterances = new Utterances((words) => said.push(words));
  const hear = (text: string, endsUtterance = false) => utterances.hear(new TranscriptionFrame(text, endsUtterance));
  const seems = (text: string) => utterances.hear(new InterimTranscriptionFrame(text));
  return { said, hear, seems, end: () => utterances.end() };
}

test('an utterance may come in pieces, and its end ends it', () => {
  const { said, hear } = collecting();
  hear("I don't want");
  expect(said).toEqual([]);
  hear('to be recorded.', true);
  hear('Fine.', true);
  expect(said).toEqual(["I don't want to be recorded.", 'Fine.']);
});

test('where the ears do not tell its end a pause does, and distant sentences do not join', () => {
  const { said, hear } = collecting();
  hear('Do not call');
  jest.advanceTimersByTime(800);
  hear('me again.');
  jest.advanceTimersByTime(800);
  expect(said).toEqual([]);
  jest.advanceTimersByTime(200);
  hear('Thanks.');
  jest.advanceTimersByTime(1_000);
  expect(said).toEqual(['Do not call me again.', 'Thanks.']);
});

test('while more seems to be said there is no pause; final words take the place of what seemed so', () => {
  const { said, hear, seems } = collecting();
  hear('Do not call me again');
  for (const text of ['before', 'before nine', 'before nine please']) {
    jest.advanceTimersByTime(800);
    seems(text);
  }
  expect(said).toEqual([]);
  hear('before nine, please.', true);
  expect(said).toEqual(['Do not call me again before nine, please.']);
});

test('what is there at the end of a call counts as it is, also words that were not final; nothing is said twice', () => {
  const { said, hear, seems, end } = collecting();
  seems('Never call');
  end();
  hear('Never');
  seems('call me again');
  end();
  end();
  jest.advanceTimersByTime(10_000);
  expect(said).toEqual(['Never call', 'Never call me again']);
});
