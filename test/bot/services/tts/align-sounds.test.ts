import { alignSounds } from '../../../../src/bot/services/tts/align-sounds.js';

/** Sounds of 100 ms each. */
const sounds = (names: string) => names.split(' ').map((name, at) => ({ name, endMs: (at + 1) * 100 }));
const startsOf = (text: string, names: string) =>
  alignSounds(text, sounds(names)).map((word) => [word.text, word.startMs, word.endMs]);

test('each word begins with the sounds that it may be written with', () => {
  expect(startsOf('Thank you for calling.', 'pau th ae ng k y uw f ao r k ao l ih ng pau')).toEqual([
    ['Thank', 100, 500],
    ['you', 500, 700],
    ['for', 700, 1_000],
    ['calling.', 1_000, 1_500],
  ]);
});

test('a pause belongs to no word, and a digit is spoken as a word', () => {
  expect(startsOf('Press 2, please', 'p r eh s t uw pau p l iy z')).toEqual([
    ['Press', 0, 400],
    ['2,', 400, 600],
    ['please', 700, 1_100],
  ]);
});

test('what cannot be spoken has no time, and neither has what was not', () => {
  expect(startsOf('a – b', 'ey b iy')).toEqual([
    ['a', 0, 100],
    ['b', 100, 300],
  ]);
  expect(alignSounds('Hello', [])).toEqual([]);
  expect(alignSounds('', sounds('ey'))).toEqual([]);
  expect(alignSounds('a '.repeat(2_000), sounds('ey '.repeat(2_000).trim()))).toEqual([]);
});

test('a text in other letters has no times', () => {
  expect(alignSounds('您好', [{ name: 'n', endMs: 100 }])).toEqual([]);
});
