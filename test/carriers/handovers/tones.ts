import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';

/** 20 ms at 8000 Hz, in which every tone of a multiple of 50 Hz has whole periods. */
const FRAME = 160;

export const toneSamples = (hertz: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, i) => 8_000 * Math.sin((2 * Math.PI * hertz * i) / 8_000));

/** 20 ms of a tone, over and over. */
export function toneOf(hertz: number): () => Uint8Array {
  const frame = encodeMulaw(toneSamples(hertz, FRAME));
  return () => frame;
}

/** What a phone has heard, as samples. */
export const samplesOf = (frames: readonly Uint8Array[]): Int16Array => decodeMulaw(Buffer.concat(frames));

/** How loud a tone is where it is loudest, over 20 ms: the amplitude. @param rate of the samples, in hertz */
export function loudest(samples: Int16Array, hertz: number, rate = 8_000): number {
  const frame = rate / 50;
  let most = 0;
  for (let at = 0; at + frame <= samples.length; at += frame)
    most = Math.max(most, amplitude(samples.subarray(at, at + frame), hertz, rate));
  return most;
}

export function amplitude(samples: Int16Array, hertz: number, rate = 8_000): number {
  let [re, im] = [0, 0];
  for (const [i, sample] of samples.entries()) {
    re += sample * Math.cos((2 * Math.PI * hertz * i) / rate);
    im += sample * Math.sin((2 * Math.PI * hertz * i) / rate);
  }
  return (2 * Math.hypot(re, im)) / samples.length;
}
