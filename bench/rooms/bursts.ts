import { randomNumbers } from '../hearing/random.js';
import { dist } from '../processes/dist.js';

const { Resampler } = await dist<typeof import('../../src/base/audio/resampler.js')>('base/audio/resampler.js');

/** Length of a burst and of the silence behind it, in milliseconds. */
export const BURST_MS = 300;
export const PAUSE_MS = 200;
/** Of its beginning and its end, in which it swells and fades, in milliseconds. */
export const FADE_MS = 10;
/** Of full scale 32 768. */
export const BURST_RMS = 3_000;

/** Nothing of a burst lies above half of this, in hertz. */
const NOISE_RATE = 8_000;
/** Standard deviation of a number between 0 and 1, all of them as likely. */
const UNIFORM_RMS = Math.sqrt(1 / 12);

/**
 * One burst of noise, as loud as speech and unlike any other. At 16 000 Hz the upper half of its band is empty, so that a sample that
 * jumps can be told from it.
 * @param seed of all bursts of one voice
 * @param sampleRate 8000 or 16 000 Hz
 */
export function burst(seed: number, index: number, sampleRate: number): Int16Array {
  const random = randomNumbers(Math.imul(seed, 2_654_435_761) ^ Math.imul(index + 1, 40_503));
  const length = (NOISE_RATE * BURST_MS) / 1_000;
  const noise = Int16Array.from({ length }, () => ((random() - 0.5) * BURST_RMS) / UNIFORM_RMS);
  const resampler = new Resampler(NOISE_RATE, sampleRate);
  const pcm = Int16Array.of(...resampler.process(noise), ...resampler.flush());
  const fade = (sampleRate * FADE_MS) / 1_000;
  return pcm.map((sample, n) => {
    const fromEdge = Math.min(n, pcm.length - 1 - n);
    return fromEdge < fade ? (sample * (1 - Math.cos((Math.PI * fromEdge) / fade))) / 2 : sample;
  });
}
