import { ContinuousSpeech } from '../../../../src/bot/services/live/continuous-speech.js';

const GIVEN = true;

/** What an utterance says whose words come in these pieces; behind GIVEN the model has been given something to say. */
function writtenOf(...pieces: Array<string | true>): string {
  const utterance = { id: 1, appendToContext: true };
  const speech = new ContinuousSpeech({ utterance, sampleRate: 8_000, startMs: 0, push() {} });
  let isGiven = false;
  for (const piece of pieces) {
    if (piece === GIVEN) isGiven = true;
    else speech.words(piece, 0, 0, isGiven);
  }
  return speech.written;
}

test.each<[string, Array<string | true>]>([
  ['One moment. Goodbye!', ['One ', 'moment.', 'Goodbye!']],
  ['“Wait!” ¿Qué?', ['“Wait!”', '¿Qué?']],
  ['One moment. shop 7 is open', ['One ', 'moment.', GIVEN, 'shop ', '7 ', 'is ', 'open']],
])('sentences that a model says behind each other have a space between them: %s', (text, pieces) => {
  expect(writtenOf(...pieces)).toBe(text);
});

test.each<[string, Array<string | true>]>([
  ['The bakery.', ['The', ' bak', 'ery', '.']],
  ['In the U.S. now', ['In', ' the', ' U', '.', 'S', '.', ' now']],
  ['It costs 3.50.', ['It costs', ' 3.', GIVEN, '50', '.']],
  ['See example.com', ['See', ' example.', 'com']],
  ['No...!', ['No.', GIVEN, '..', '!']],
])('and pieces of one have none: %s', (text, pieces) => {
  expect(writtenOf(...pieces)).toBe(text);
});
