import { existsSync, readFileSync } from 'node:fs';
import { encodeMulaw } from '../../base/audio/mulaw.js';
import { decodeWav } from '../../base/audio/wav.js';

const CARRIER_RATE = 8_000;
/** Zero crossings of the interpolation filter to either side. */
const CROSSINGS = 24;
/** Share of the band kept; the filter falls off in the rest. */
const PASSBAND = 0.94;

/**
 * Reads a WAV file of any sample rate as a caller's speech: mu-law, 8000 Hz; two channels are mixed.
 * @throws Error or VoicebotError VB_WAV_INVALID with a message for people
 */
export function readSpeech(path: string): Uint8Array {
  if (!existsSync(path)) throw new Error('there is no such file');
  const { channels, sampleRate } = decodeWav(readFileSync(path));
  const [left = new Int16Array(0), right = left] = channels;
  const mono = left.map((sample, i) => (sample + (right[i] ?? 0)) / 2);
  return encodeMulaw(sampleRate === CARRIER_RATE ? mono : convertRate(mono, sampleRate, CARRIER_RATE));
}

/**
 * Converts a whole recording between any two rates, by Hann-windowed sinc interpolation. Calls use the streaming
 * resampler, which knows only telephone and speech rates; files come at 11025, 22050 and 44100 Hz too.
 */
function convertRate(pcm: Int16Array, fromRate: number, toRate: number): Int16Array {
  const phaseCount = toRate / greatestCommonDivisor(fromRate, toRate);
  const phases: Float64Array[] = [];
  const cutoff = Math.min(1, toRate / fromRate) * PASSBAND;
  const reach = Math.ceil(CROSSINGS / cutoff);
  const converted = new Int16Array(Math.ceil((pcm.length * toRate) / fromRate));
  for (let n = 0; n < converted.length; n += 1) {
    const centre = (n * fromRate) / toRate;
    const first = Math.floor(centre) - reach;
    phases[n % phaseCount] ??= taps(centre - Math.floor(centre), cutoff, reach);
    converted[n] = Math.max(
      -32_768,
      Math.min(32_767, Math.round(dot(pcm, first, phases[n % phaseCount] as Float64Array))),
    );
  }
  return converted;
}

/** The filter around a point that lies `fraction` of a sample after a sample. */
function taps(fraction: number, cutoff: number, reach: number): Float64Array {
  return Float64Array.from({ length: 2 * reach + 1 }, (_, i) => {
    const x = i - reach - fraction;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x);
    return Math.abs(x) < reach ? cutoff * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / reach)) : 0;
  });
}

/** Before and after the recording there is silence. */
function dot(pcm: Int16Array, first: number, filter: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < filter.length; i += 1) sum += (filter[i] as number) * (pcm[first + i] ?? 0);
  return sum;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
