import { DtmfDetector } from '../../../src/base/audio/dtmf.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { ToneSource } from '../../../src/base/audio/tones.js';
import { concat, fitSine, largestDifference, mix, peak, sine } from './signals.js';

const SOUNDS = ['ringback', 'busy', 'congestion', 'hold'] as const;

describe.each([
  ['ringback', 440, 480, 2_000, 4_000, -19],
  ['busy', 480, 620, 500, 500, -24],
  ['congestion', 480, 620, 250, 250, -24],
] as const)('%s', (sound, low, high, onMs, offMs, levelDbm0) => {
  test.each([8_000, 16_000])('at %d Hz keeps cadence, phase and level exact over three rounds', (rate) => {
    const source = ToneSource[sound](rate);
    for (let round = 0; round < 3; round += 1) {
      const on = source.read((onMs * rate) / 1_000);
      const off = source.read((offMs * rate) / 1_000);
      expect(peak(off)).toBe(0);
      const amplitude = 32_767 * 10 ** ((levelDbm0 - 3.17) / 20);
      expect(fitSine(on, low, rate).amplitude).toBeCloseTo(amplitude, -1);
      expect(fitSine(on, high, rate).amplitude).toBeCloseTo(amplitude, -1);
      const ideal = mix(sine(low, rate, on.length, amplitude), sine(high, rate, on.length, amplitude));
      expect(largestDifference(on, ideal)).toBeLessThanOrEqual(2);
    }
  });
});

describe('hold', () => {
  test('is never silent and never near clipping', () => {
    const melody = ToneSource.hold().read(8_000 * 30);
    for (let at = 0; at < melody.length; at += 4_000) {
      const level = levelDb(melody.subarray(at, at + 4_000));
      expect(level).toBeGreaterThan(-35);
      expect(level).toBeLessThan(-12);
    }
    expect(peak(melody)).toBeLessThan(16_384);
  });

  test('repeats without a click', () => {
    const melody = ToneSource.hold().read(8_000 * 30);
    const steps = melody.map((sample, n) => sample - (melody[n - 1] ?? 0));
    const round = 12 * 8_000;
    const seam = peak(steps.subarray(round - 10, round + 10));
    expect(seam).toBeLessThan(peak(steps.subarray(8_000, round - 8_000)));
    expect(melody.subarray(round, round + 100)).toEqual(melody.subarray(0, 100));
  });
});

describe.each(SOUNDS)('%s', (sound) => {
  test('is the same however it is read', () => {
    const whole = ToneSource[sound]().read(8_000 * 13);
    const source = ToneSource[sound]();
    const pieces: Int16Array[] = [];
    for (let left = whole.length, size = 1; left > 0; left -= size, size = Math.min(left, (size * 7) % 2_003)) {
      pieces.push(source.read(size));
    }
    expect(largestDifference(concat(...pieces), whole)).toBe(0);
  });

  test('starts at its beginning for every source and hands out copies', () => {
    const first = ToneSource[sound]().read(160);
    const copy = first.slice();
    first.fill(1);
    expect(ToneSource[sound]().read(160)).toEqual(copy);
  });

  test('is never taken for a key', () => {
    expect(new DtmfDetector().process(ToneSource[sound]().read(8_000 * 25))).toEqual([]);
  });

  test('reads nothing when asked for nothing', () => {
    expect(ToneSource[sound]().read(0)).toHaveLength(0);
  });
});
