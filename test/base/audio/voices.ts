import { noise } from './signals.js';

/** Centres and weights of a vowel's formants, in hertz. */
const FORMANTS = [
  [600, 1],
  [1_200, 0.5],
  [2_500, 0.25],
] as const;
const FORMANT_WIDTH = 180;
/** How long a syllable swells, and fades, in seconds. */
const FADE = 0.05;

/**
 * A voiced sound as a throat makes it: harmonics of a pitch that glides, louder near the formants.
 * @param rms in sample units
 */
export function vowel(durationMs: number, sampleRate = 8_000, rms = 1_500, pitch = 120): Int16Array {
  const length = Math.round((durationMs * sampleRate) / 1_000);
  const samples = new Float64Array(length);
  const count = Math.floor(Math.min(3_400, sampleRate / 2) / pitch);
  const harmonics = Array.from({ length: count }, (_, i) => envelope((i + 1) * pitch));
  for (let n = 0; n < length; n += 1) {
    const seconds = n / sampleRate;
    const phase = 2 * Math.PI * (pitch * seconds + 10 * seconds ** 2);
    const loudness = Math.min(1, seconds / FADE, (length / sampleRate - seconds) / FADE);
    let sample = 0;
    for (let i = 0; i < count; i += 1) sample += (harmonics[i] as number) * Math.sin((i + 1) * phase);
    samples[n] = loudness * sample;
  }
  const actual = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / length);
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, (sample * rms) / actual)));
}

const envelope = (frequency: number) =>
  FORMANTS.reduce(
    (sum, [centre, weight]) => sum + weight * Math.exp(-(((frequency - centre) / FORMANT_WIDTH) ** 2)),
    0.02,
  );

export const silence = (durationMs: number, sampleRate = 8_000): Int16Array =>
  new Int16Array(Math.round((durationMs * sampleRate) / 1_000));

/** White noise. @param rms in sample units */
export const hiss = (durationMs: number, rms: number, sampleRate = 8_000): Int16Array =>
  noise(Math.round((durationMs * sampleRate) / 1_000), rms * Math.sqrt(3));

/** Noise that falls by about 3 dB per octave: rooms, lines and roads. */
export const pink = (durationMs: number, rms: number): Int16Array => coloured(durationMs, rms, [0.997, 0.96, 0.7]);

/** Noise that falls by 6 dB per octave. */
export const brown = (durationMs: number, rms: number): Int16Array => coloured(durationMs, rms, [0.985]);

/** White noise through low passes of one pole each, side by side, each as loud at its low end as its pole allows. */
function coloured(durationMs: number, rms: number, poles: readonly number[]): Int16Array {
  const white = noise(durationMs * 8, 10_000);
  const states = poles.map(() => 0);
  const samples = Float64Array.from(white, (sample) => {
    let sum = 0;
    poles.forEach((pole, i) => {
      states[i] = pole * (states[i] as number) + (1 - pole) ** 0.5 * sample;
      sum += states[i] as number;
    });
    return sum;
  });
  const actual = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  return Int16Array.from(samples, (sample) => (sample * rms) / actual);
}
