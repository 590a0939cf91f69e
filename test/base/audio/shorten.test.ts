import fc from 'fast-check';
import { cutLimits, shorten } from '../../../src/base/audio/shorten.js';
import { sine } from './signals.js';

/** The largest difference of two samples that follow each other. */
const steepest = (pcm: Int16Array) =>
  pcm.reduce((most, sample, at) => Math.max(most, at > 0 ? Math.abs(sample - (pcm[at - 1] as number)) : 0), 0);

describe.each([8_000, 16_000, 24_000, 48_000])('at %i Hz', (rate) => {
  const { shortest, longest } = cutLimits(rate);
  const frame = (hz: number, level = 8_000) => sine(hz, rate, rate / 50, level);

  test('takes out between 2.5 and 10 ms, and leaves beginning and end as they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 3_000 }), (hz) => {
        const pcm = frame(hz);
        const short = shorten(pcm, rate, shortest, longest);
        const cut = pcm.length - short.length;
        expect(cut).toBeGreaterThanOrEqual(shortest);
        expect(cut).toBeLessThanOrEqual(longest);
        expect(short[0]).toBe(pcm[0]);
        expect(short.at(-1)).toBe(pcm.at(-1));
      }),
    );
  });

  test('takes whole periods out of a voice, and makes no step that was not there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 400 }), (hz) => {
        const pcm = frame(hz);
        const short = shorten(pcm, rate, shortest, longest);
        const periods = ((pcm.length - short.length) * hz) / rate;
        expect(Math.abs(periods - Math.round(periods))).toBeLessThan(0.06);
        expect(steepest(short)).toBeLessThanOrEqual(1.1 * steepest(pcm));
      }),
    );
  });

  test('takes out exactly what is asked for', () => {
    expect(shorten(frame(200), rate, 7, 7)).toHaveLength(rate / 50 - 7);
  });
});
