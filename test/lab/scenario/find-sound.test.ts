import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { findSound } from '../../../src/lab/scenario/find-sound.js';
import { concat, gain, mix, noise, sine } from '../../base/audio/signals.js';

/** Half a second that is like itself nowhere else: a tone that rises. */
const SOUND = Int16Array.from({ length: 4_000 }, (_, n) => Math.round(9_000 * Math.sin(n * (0.1 + n / 8_000))));

/** Of `toBeCloseTo`: within fifty samples. */
const NEAR = -2;

/** The sound with silence around it, so many samples before. */
const heard = (before: number, sound: Int16Array = SOUND) =>
  concat(new Int16Array(before), sound, new Int16Array(3_000));

test('a sound is found where it begins', () => {
  expect(findSound(heard(1_234), SOUND)).toBeCloseTo(1_234, NEAR);
  expect(findSound(heard(0), SOUND)).toBeCloseTo(0, NEAR);
});

test('quieter, through mu-law, with noise on the line and a piece of it lost', () => {
  const line = decodeMulaw(encodeMulaw(mix(heard(2_000, gain(SOUND, -12)), noise(9_000, 300))));
  line.fill(0, 2_800, 2_960);
  expect(findSound(line, SOUND)).toBeCloseTo(2_000, NEAR);
});

test('through the jitter buffers of a room, which leave out 20 ms and fill in others', () => {
  const long = concat(SOUND, SOUND.toReversed(), SOUND);
  const [first, second, third] = [long.subarray(0, 4_600), long.subarray(4_760, 9_000), long.subarray(9_000)];
  const line = heard(1_500, concat(first, second, new Int16Array(480), third));
  expect(findSound(line, long)).toBeCloseTo(1_500, NEAR - 1);
});

test('one that is cut off in its first half is not found, nor is another one, nor anything in silence', () => {
  expect(findSound(heard(1_000, SOUND.subarray(2_500)), SOUND)).toBeUndefined();
  expect(findSound(heard(1_000, sine(450, 8_000, 4_000, 9_000)), SOUND)).toBeUndefined();
  expect(findSound(heard(1_000, SOUND.toReversed()), SOUND)).toBeUndefined();
  expect(findSound(new Int16Array(8_000), SOUND)).toBeUndefined();
  expect(findSound(new Int16Array(0), SOUND)).toBeUndefined();
});

test('a short sound is found too; silence is no sound', () => {
  const short = SOUND.subarray(1_000, 1_400);
  expect(findSound(heard(777, short), short)).toBeCloseTo(777, NEAR);
  expect(findSound(heard(0), new Int16Array(400))).toBeUndefined();
  expect(findSound(heard(0), new Int16Array(0))).toBeUndefined();
});
