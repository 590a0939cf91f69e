import { levelDb } from '../../../src/base/audio/level.js';
import { sine } from './signals.js';

describe('levelDb', () => {
  test('is 0 for a full-scale square wave and -3.01 for a full-scale sine', () => {
    expect(levelDb(Int16Array.of(-32_768, -32_768))).toBe(0);
    expect(levelDb(sine(1_000, 8_000, 8_000, 32_767))).toBeCloseTo(-3.01, 2);
  });

  test('falls by 20 dB for a tenth of the amplitude', () => {
    const loud = levelDb(sine(1_000, 8_000, 8_000, 10_000));
    expect(loud - levelDb(sine(1_000, 8_000, 8_000, 1_000))).toBeCloseTo(20, 2);
  });

  test('is minus infinity for silence and for nothing', () => {
    expect(levelDb(new Int16Array(160))).toBe(-Infinity);
    expect(levelDb(new Int16Array(0))).toBe(-Infinity);
  });
});
