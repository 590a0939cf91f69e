import { estimateCut } from '../../../../src/bot/services/tts/estimate-cut.js';
import { toneWords } from './tone-words.js';

const TEXT = 'Good morning and welcome to our little bakery around the corner.';

test.each([45, 60, 75])('of a voice of unknown pace, %d ms for a character, no word is left out', (characterMs) => {
  const pcm = toneWords([TEXT], characterMs)(TEXT, 8_000);
  for (let ms = 100; ms < TEXT.length * characterMs; ms += 100) {
    const cut = TEXT.lastIndexOf(' ', Math.floor(ms / characterMs)) + 1;
    expect(estimateCut(TEXT, pcm.subarray(0, ms * 8), 8_000)).toBeLessThanOrEqual(cut);
  }
});
