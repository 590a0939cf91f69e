import { decodeMulaw } from '../../../src/base/audio/mulaw.js';

/** Hertz; the bots of each runner speak at one of their own. Whole periods of each fit into a frame, so that none is heard in another. */
export const TONES_HZ = [500, 700, 900, 1_100, 1_300] as const;

const RATE = 8_000;
const FRAME_SAMPLES = 160;
/** Of full scale; anything below is silence. */
const AUDIBLE_POWER = (0.01 * 32_768) ** 2;
/** What is in the tone, of all that is heard. */
const LEAST_SHARE = 0.5;

const COEFFICIENTS = TONES_HZ.map((hz) => 2 * Math.cos((2 * Math.PI * hz) / RATE));

/**
 * Whose bot is heard.
 * @param heard 20 ms of 8000 Hz mu-law
 * @returns place of its tone in {@link TONES_HZ}; undefined for silence, ringing, melodies and announcements
 */
export function toneIn(heard: Uint8Array): number | undefined {
  const samples = decodeMulaw(heard);
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy / FRAME_SAMPLES < AUDIBLE_POWER) return undefined;
  const place = COEFFICIENTS.findIndex((coefficient) => powerAt(samples, coefficient) > LEAST_SHARE * energy);
  return place < 0 ? undefined : place;
}

/** The energy of one frequency, by Goertzel's algorithm: a pure tone there gives the energy of the samples. */
function powerAt(samples: Int16Array, coefficient: number): number {
  let [last, before] = [0, 0];
  for (const sample of samples) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
  }
  return (2 * (last * last + before * before - coefficient * last * before)) / samples.length;
}
