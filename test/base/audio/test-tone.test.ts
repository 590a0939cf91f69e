import { levelDb } from '../../../src/base/audio/level.js';
import { TestTone } from '../../../src/base/audio/test-tone.js';

const RATE = 16_000;
const tone = new TestTone(700, RATE);

const scaled = (pcm: Int16Array, factor: number) => pcm.map((sample) => Math.round(sample * factor));
const mixed = (one: Int16Array, other: Int16Array) => one.map((sample, at) => sample + (other[at] as number));
/** The same noise each time, at the level of the tone. */
function noise(length: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.round((state / 2_147_483_647 - 0.5) * 2 * 9_800);
  });
}

test('a frame is 20 ms in whole cycles, so that frames follow without a seam', () => {
  expect(tone.frame).toHaveLength(320);
  const step = Math.max(...tone.frame.map((sample, at) => Math.abs(sample - (tone.frame[at - 1] ?? 0))));
  expect(Math.abs((tone.frame[0] as number) - (tone.frame.at(-1) as number))).toBeLessThanOrEqual(step);
  expect(levelDb(tone.frame)).toBeCloseTo(-15.3, 0);
});

test.each([
  ['the tone itself', tone.frame],
  ['the tone 30 dB below', scaled(tone.frame, 10 ** (-30 / 20))],
  ['the tone with noise 6 dB below it', mixed(tone.frame, scaled(noise(320), 0.5))],
  ['the tone from the middle of a cycle', new Int16Array([...tone.frame.slice(7), ...tone.frame.slice(0, 7)])],
])('is in %s', (_what, pcm) => {
  expect(tone.isIn(pcm)).toBe(true);
});

test.each([
  ['silence', new Int16Array(320)],
  ['the tone 40 dB below: too quiet to be heard', scaled(tone.frame, 10 ** (-40 / 20))],
  ['another tone', new TestTone(1_100, RATE).frame],
  ['noise', noise(320)],
  ['another tone that is louder by 6 dB', mixed(scaled(tone.frame, 0.5), new TestTone(1_100, RATE).frame)],
])('is not in %s', (_what, pcm) => {
  expect(tone.isIn(pcm)).toBe(false);
});
