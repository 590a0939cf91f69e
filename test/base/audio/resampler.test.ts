import fc from 'fast-check';
import speex from 'speex-resampler';
import { levelDb } from '../../../src/base/audio/level.js';
import { polyphaseFilter } from '../../../src/base/audio/polyphase-filter.js';
import { Resampler } from '../../../src/base/audio/resampler.js';
import { concat, cut, fitSine, largestDifference, noise, sine } from './signals.js';

const RATES = [8_000, 16_000, 24_000, 48_000];
const PAIRS = RATES.flatMap((from) => RATES.filter((to) => to !== from).map((to) => [from, to] as const));
const SpeexResampler = speex.default;

beforeAll(() => SpeexResampler.initPromise);

function resample(pcm: Int16Array, from: number, to: number, sizes: readonly number[] = [pcm.length || 1]): Int16Array {
  const resampler = new Resampler(from, to);
  return concat(...cut(pcm, sizes).map((piece) => resampler.process(piece)), resampler.flush());
}

function resampleWithSpeex(pcm: Int16Array, from: number, to: number): Int16Array {
  const resampler = new SpeexResampler(1, from, to, 3);
  const pieces = cut(pcm, [from / 50]).map((piece) => {
    const bytes = resampler.processChunk(Buffer.from(piece.buffer));
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  });
  return concat(...pieces);
}

describe.each(PAIRS)('%d Hz to %d Hz', (from, to) => {
  const nyquist = Math.min(from, to) / 2;

  test('keeps passband tones at least as clean as speex quality 3', () => {
    const snrs = [0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85].map((part) => {
      const frequency = part * nyquist + 1.3;
      const input = sine(frequency, from, from / 4);
      return {
        ours: fitSine(resample(input, from, to), frequency, to).snrDb,
        speex: fitSine(resampleWithSpeex(input, from, to), frequency, to).snrDb,
      };
    });
    // Most tones sit on the floor of 16-bit rounding, about 89 dB here, where both differ by chance.
    for (const { ours, speex } of snrs) expect(ours).toBeGreaterThan(Math.min(speex, 88));
    expect(Math.min(...snrs.map(({ ours }) => ours))).toBeGreaterThan(Math.min(...snrs.map(({ speex }) => speex)));
  });

  test('passes what a telephone band needs at its level', () => {
    const gainAt = (part: number) => {
      const frequency = part * nyquist;
      return (
        20 * Math.log10(fitSine(resample(sine(frequency, from, from / 4), from, to), frequency, to).amplitude / 16_000)
      );
    };
    expect(Math.abs(gainAt(0.1))).toBeLessThan(0.01);
    expect(Math.abs(gainAt(0.8))).toBeLessThan(0.05);
    expect(Math.abs(gainAt(0.85))).toBeLessThan(0.3); // 3400 Hz of 4000
  });

  if (to < from) {
    test('rejects what would alias at least as well as speex quality 3', () => {
      const middle = (pcm: Int16Array) => pcm.subarray(Math.floor(pcm.length * 0.2), Math.floor(pcm.length * 0.8));
      const rejections = [1, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 1.9]
        .map((part) => part * nyquist + 1.3)
        .filter((frequency) => frequency < from / 2)
        .map((frequency) => {
          const input = sine(frequency, from, from / 4);
          return {
            ours: levelDb(input) - levelDb(middle(resample(input, from, to))),
            speex: levelDb(input) - levelDb(middle(resampleWithSpeex(input, from, to))),
          };
        });
      for (const { ours, speex } of rejections) expect(ours).toBeGreaterThan(Math.min(speex, 88));
    });
  }

  test('stays aligned with the input in time', () => {
    const output = resample(sine(440, from, from / 5), from, to);
    const ideal = sine(440, to, to / 5);
    const inside = (pcm: Int16Array) => pcm.subarray(to / 100, -to / 100);
    expect(largestDifference(inside(output), inside(ideal))).toBeLessThanOrEqual(3);
  });

  test('gives the same samples however the input is cut', () => {
    const input = noise(1_500, 30_000);
    const whole = resample(input, from, to);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        expect(largestDifference(resample(input, from, to, sizes), whole)).toBe(0);
      }),
      { numRuns: 10 },
    );
    expect(largestDifference(resample(input, from, to, [1]), whole)).toBe(0);
  });

  test('gives exactly the samples the rates ask for, rounded up', () => {
    fc.assert(
      fc.property(fc.nat(2_000), (length) => {
        expect(resample(new Int16Array(length), from, to)).toHaveLength(Math.ceil((length * to) / from));
      }),
      { numRuns: 10 },
    );
  });

  test('settles on whole frames: 20 ms in, 20 ms out', () => {
    const resampler = new Resampler(from, to);
    const frame = new Int16Array(from / 50);
    const first = resampler.process(frame).length;
    expect(to / 50 - first).toBeLessThanOrEqual(to * 0.004);
    for (let i = 0; i < 5; i += 1) expect(resampler.process(frame)).toHaveLength(to / 50);
  });

  test('clips peaks instead of wrapping them', () => {
    const square = Int16Array.from({ length: 2_000 }, (_, n) => (n % 100 < 50 ? 32_767 : -32_768));
    const output = resample(square, from, to);
    expect(Math.max(...output)).toBe(32_767);
    expect(Math.min(...output)).toBe(-32_768);
    const wrapped = output.filter((sample, n) => {
      const place = ((n * from) / to) % 100;
      const isInPlateau = place % 50 > 5 && place % 50 < 45; // away from the edges, where the sign is known
      return isInPlateau && sample > 0 !== place < 50;
    });
    expect(wrapped).toHaveLength(0);
  });
});

describe('Resampler', () => {
  test('passes equal rates through without a copy', () => {
    const resampler = new Resampler(16_000, 16_000);
    const pcm = noise(320, 1_000);
    expect(resampler.process(pcm)).toBe(pcm);
    expect(resampler.flush()).toHaveLength(0);
  });

  test('sounds like new after reset and after flush', () => {
    const input = noise(500, 20_000);
    const fresh = new Resampler(8_000, 24_000).process(input);
    const used = new Resampler(8_000, 24_000);
    used.process(noise(333, 30_000));
    used.reset();
    expect(used.process(input)).toEqual(fresh);
    used.flush();
    expect(used.process(input)).toEqual(fresh);
  });

  test('takes no samples at all', () => {
    const resampler = new Resampler(8_000, 16_000);
    expect(resampler.process(new Int16Array(0))).toHaveLength(0);
    expect(resampler.flush()).toHaveLength(0);
  });

  test('keeps results apart from later ones', () => {
    const resampler = new Resampler(8_000, 16_000);
    const first = resampler.process(noise(160, 20_000));
    const copy = first.slice();
    resampler.process(noise(160, 5_000));
    expect(first).toEqual(copy);
  });

  test('designs one filter per ratio', () => {
    expect(polyphaseFilter(24_000, 48_000)).toBe(polyphaseFilter(8_000, 16_000));
    expect(polyphaseFilter(8_000, 24_000)).not.toBe(polyphaseFilter(8_000, 16_000));
  });

  test.each([
    [11_025, 8_000],
    [8_000, 0],
    [Number.NaN, 8_000],
  ])('refuses %d Hz to %d Hz', (from, to) => {
    expect(() => new Resampler(from, to)).toThrow(
      expect.objectContaining({ code: 'VB_AUDIO_INVALID', hint: expect.stringContaining('48000') }),
    );
  });
});
