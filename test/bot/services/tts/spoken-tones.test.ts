import { levelDb } from '../../../../src/base/audio/level.js';
import { sayTones, toneFor, toneInPlaceOf } from '../../../../src/bot/services/tts/spoken-tones.js';

afterEach(() => sayTones(false));

test('a tone is a tenth as long as the words, as loud as a voice, and no click', () => {
  const pcm = toneFor('We are closed on Sunday, and open on all other days.', 8_000);
  expect(pcm.length / 8).toBeCloseTo(52 * 6.5, 0);
  expect(levelDb(pcm)).toBeGreaterThan(-30);
  expect(toneFor('Hi.', 16_000).length / 16).toBe(160);
});

test('words are said unless tones were asked for', () => {
  expect(toneInPlaceOf({ text: 'Hello.', sampleRate: 8_000 })).toBeUndefined();
  sayTones(true);
  expect(toneInPlaceOf({ text: 'Hello.', sampleRate: 8_000 })).toEqual(toneFor('Hello.', 8_000));
});
