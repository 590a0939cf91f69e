import { WrittenSpeech } from '../../../../src/bot/services/live/written-speech.js';
import { buzz } from '../../../../src/lab/kit/index.js';

const RATE = 8_000;
const CHARACTER_MS = 60;
const WORDS = ['We ', 'open ', 'at ', 'nine ', 'tomorrow ', 'morning.'];

/** Says so many of the words, each written before its sound, or all before the first. @param ms of the last */
function say(speech: WrittenSpeech, count: number, { isAhead = false, ms = Number.POSITIVE_INFINITY } = {}): void {
  if (isAhead) for (const word of WORDS) speech.write(word);
  for (const [index, word] of WORDS.slice(0, count).entries()) {
    if (!isAhead) speech.write(word);
    const wholeMs = word.length * CHARACTER_MS;
    speech.hear(buzz(index === count - 1 ? Math.min(ms, wholeMs) : wholeMs, RATE));
  }
}

test('of what was written in step with the sound all counts but the word that was cut', () => {
  const before = new WrittenSpeech('in step', RATE);
  say(before, WORDS.length);
  before.learn();
  const speech = new WrittenSpeech('in step', RATE);
  say(speech, 5, { ms: 120 });
  expect(speech.cut()).toBe('We open at nine');
});

test('of what was written ahead of the sound no more counts than there was sound for', () => {
  const before = new WrittenSpeech('ahead', RATE);
  say(before, WORDS.length, { isAhead: true });
  before.learn();
  const speech = new WrittenSpeech('ahead', RATE);
  say(speech, 4, { isAhead: true, ms: 60 });
  expect(['We open', 'We open at']).toContain(speech.cut());
});

test('nothing counts of what was dropped', () => {
  const speech = new WrittenSpeech('dropped', RATE);
  say(speech, 3);
  speech.clear();
  expect(speech.text).toBe('');
  expect(speech.cut()).toBe('');
});
