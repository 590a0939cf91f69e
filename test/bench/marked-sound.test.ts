import { answersIn, hearMarked, markedSound } from '../../bench/live/marked-sound.js';
import { Resampler } from '../../src/base/audio/resampler.js';

/** What was heard, of pieces of the sound and of silence, in milliseconds. */
function heard(rate: number, ...pieces: ReadonlyArray<readonly [from: number, to: number] | number>): Int16Array {
  const at = (ms: number) => Math.round((ms * rate) / 1_000);
  const parts = pieces.map((piece) =>
    typeof piece === 'number'
      ? new Int16Array(at(piece))
      : markedSound(5_000, rate).subarray(at(piece[0]), at(piece[1])),
  );
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

test.each([8_000, 16_000, 24_000])('up to where each answer was heard is found at %i Hz', (rate) => {
  const stretches = hearMarked(heard(rate, 500, [0, 1_540], 700, [0, 900], 300, [900, 2_620], 400), rate);
  expect(stretches).toHaveLength(3);
  for (const [index, ms] of [1_540, 2_620].entries()) {
    expect(Math.abs((answersIn(stretches)[index] ?? 0) - ms)).toBeLessThanOrEqual(2);
  }
});

test('it is found in what was resampled, and a word that is said again counts once', () => {
  const pcm = new Resampler(24_000, 16_000).process(heard(24_000, 200, [0, 1_000], 600, [700, 1_800], 500));
  const [answer = 0, ...more] = answersIn(hearMarked(pcm, 16_000));
  expect(more).toEqual([]);
  expect(Math.abs(answer - 1_800)).toBeLessThanOrEqual(5);
});

test('another sound is no answer', () => {
  const other = Int16Array.from({ length: 8_000 }, (_, n) => 8_000 * Math.sin(n / 5));
  const stretches = hearMarked(Int16Array.from([...heard(8_000, [0, 700], 500), ...other]), 8_000);
  expect(answersIn(stretches)).toEqual([700]);
});
