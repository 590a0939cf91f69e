import { levelDb } from '../../../../src/base/audio/level.js';
import { Concealment } from '../../../../src/base/audio/line/concealment.js';
import { concat, fitSine, noise, peak, sine } from '../signals.js';

const FRAME = 160;

const tone = sine(200, 8_000, 8_000);
const frameOf = (signal: Int16Array, n: number) => signal.slice(n * FRAME, (n + 1) * FRAME);

function afterTone(): Concealment {
  const concealment = new Concealment();
  for (let n = 0; n < 10; n += 1) concealment.heard(frameOf(tone, n));
  return concealment;
}

test('gives what has arrived as it is', () => {
  expect(new Concealment().heard(frameOf(tone, 3))).toEqual(frameOf(tone, 3));
});

test('goes on with the tone that was heard', () => {
  const concealed = afterTone().conceal(FRAME);
  expect(fitSine(concealed.subarray(0, 80), 200, 8_000).snrDb).toBeGreaterThan(25);
  expect(peak(concealed.subarray(0, 80), (sample, n) => sample - (tone[10 * FRAME + n] as number))).toBeLessThan(2_500);
});

test('keeps the tone even when every other packet is lost', () => {
  // A packet does not hold whole periods of this tone.
  const other = sine(170, 8_000, 8_000);
  const concealment = new Concealment();
  for (let n = 0; n < 10; n += 1) concealment.heard(frameOf(other, n));
  for (let n = 10; n < 20; n += 2) {
    const concealed = concealment.conceal(FRAME).subarray(0, 80);
    expect(peak(concealed, (sample, at) => sample - (other[n * FRAME + at] as number))).toBeLessThan(2_500);
    concealment.heard(frameOf(other, n + 1));
  }
});

test('fades out and is silent after 60 ms', () => {
  const concealment = afterTone();
  const levels = [1, 2, 3, 4].map(() => levelDb(concealment.conceal(FRAME)));
  expect(levels[0]).toBeGreaterThan(-12);
  expect(levels[1]).toBeLessThan((levels[0] as number) - 1);
  expect(levels[2]).toBeLessThan((levels[1] as number) - 3);
  expect(levels[3]).toBe(-Infinity);
});

test('returns to what arrives without a click', () => {
  const concealment = afterTone();
  const concealed = concealment.conceal(FRAME);
  const then = concealment.heard(frameOf(tone, 11));
  const seam = concat(concealed, then);
  const steepest = peak(tone, (sample, n) => sample - (tone[Math.max(0, n - 1)] as number));
  const steps = seam.map((sample, n) => Math.abs(sample - (seam[n - 1] ?? sample)));
  expect(Math.max(...steps)).toBeLessThan(2 * steepest);
  expect(then.subarray(40)).toEqual(frameOf(tone, 11).subarray(40));
});

test('makes nothing out of silence, and not more out of noise than there was', () => {
  expect(new Concealment().conceal(FRAME)).toEqual(new Int16Array(FRAME));
  const concealment = new Concealment();
  concealment.heard(noise(3 * FRAME, 8_000));
  expect(peak(concealment.conceal(2 * FRAME))).toBeLessThanOrEqual(8_000);
});

test('takes pieces of any length', () => {
  const concealment = afterTone();
  for (const length of [1, 7, 80, 480, 960]) {
    expect(concealment.conceal(length)).toHaveLength(length);
    expect(concealment.heard(tone.slice(0, length))).toHaveLength(length);
  }
});

test('does the same at 16 000 Hz: goes on with the tone, and is silent after 60 ms', () => {
  const rate = 16_000;
  const frame = 320;
  const wide = sine(200, rate, rate);
  const concealment = new Concealment(rate);
  for (let n = 0; n < 10; n += 1) concealment.heard(wide.slice(n * frame, (n + 1) * frame));
  const concealed = [1, 2, 3, 4].map(() => concealment.conceal(frame));
  expect(fitSine((concealed[0] as Int16Array).subarray(0, 160), 200, rate).snrDb).toBeGreaterThan(25);
  expect(levelDb(concealed[2] as Int16Array)).toBeLessThan(levelDb(concealed[0] as Int16Array) - 3);
  expect(levelDb(concealed[3] as Int16Array)).toBe(-Infinity);
});
