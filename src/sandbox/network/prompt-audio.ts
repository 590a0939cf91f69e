import { setImmediate } from 'node:timers/promises';
import { type DtmfDigit, generateDtmf } from '../../base/audio/dtmf.js';
import { encodeMulaw } from '../../base/audio/mulaw.js';
import { Resampler } from '../../base/audio/resampler.js';
import { decodeWav } from '../../base/audio/wav.js';
import { SILENCE } from './frame.js';

const SAMPLE_RATE = 8_000;
/** About half a second of sound. */
const PIECE_SAMPLES = 16_000;
/** What the resampler takes. */
const RESAMPLER_RATES = [8_000, 16_000, 24_000, 48_000];

/**
 * Turns a WAV file into what a phone plays, a piece per turn of the event loop: calls go on meanwhile.
 * @param wav one or two channels, up to 48 000 Hz
 * @returns 8000 Hz mu-law
 * @throws VoicebotError VB_WAV_INVALID, VB_AUDIO_INVALID
 */
export async function wavToMulaw(wav: Uint8Array): Promise<Uint8Array> {
  const { sampleRate, channels } = decodeWav(wav);
  const samples = mono(channels);
  const rate = RESAMPLER_RATES.find((supported) => supported >= sampleRate) ?? sampleRate;
  const resampler = new Resampler(rate, SAMPLE_RATE);
  const length = Math.floor((samples.length * rate) / sampleRate);
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < length; start += PIECE_SAMPLES) {
    const piece = interpolate(samples, sampleRate / rate, start, Math.min(start + PIECE_SAMPLES, length));
    pieces.push(encodeMulaw(resampler.process(piece)));
    await setImmediate();
  }
  return Buffer.concat([...pieces, encodeMulaw(resampler.flush())]);
}

function mono([left = new Int16Array(), right]: readonly Int16Array[]): Int16Array {
  return right ? left.map((sample, n) => (sample + (right[n] ?? 0)) >> 1) : left;
}

/**
 * Samples `start` to `end` at a higher rate, by linear interpolation: exact enough for sound that is going to be cut at
 * 4 kHz.
 * @param step samples of the original per new one, at most 1
 */
function interpolate(samples: Int16Array, step: number, start: number, end: number): Int16Array {
  if (step === 1) return samples.subarray(start, end);
  const output = new Int16Array(end - start);
  for (let n = start; n < end; n += 1) {
    const position = Math.floor(n * step);
    const before = samples[position] ?? 0;
    const after = samples[position + 1] ?? before;
    output[n - start] = Math.round(before + (after - before) * (n * step - position));
  }
  return output;
}

/** Keys pressed one after the other, with 20 ms between them, as mu-law. */
export function dtmfAudio(digits: readonly DtmfDigit[]): Uint8Array {
  return Buffer.concat(digits.flatMap((digit) => [encodeMulaw(generateDtmf(digit)), SILENCE]));
}

/** Silence, as mu-law. */
export const silence = (durationMs: number): Uint8Array =>
  new Uint8Array((durationMs * SAMPLE_RATE) / 1_000).fill(SILENCE[0] ?? 0);

/** A sine at -15 dB, as mu-law. */
export function beep(hz: number, durationMs: number): Uint8Array {
  const samples = { length: Math.round((durationMs * SAMPLE_RATE) / 1_000) };
  return encodeMulaw(Int16Array.from(samples, (_, n) => 5_800 * Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE)));
}

/**
 * A sound with the rhythm and pitch of a person who says `text`, for machines without a speech program: a buzz of
 * 240 ms per word, swelling and fading, at a pitch that falls over the sentence.
 */
export function murmur(text: string): Uint8Array {
  const words = text.split(/\s+/).filter(Boolean).length || 1;
  const wordSamples = 0.24 * SAMPLE_RATE;
  return encodeMulaw(
    Int16Array.from({ length: words * wordSamples }, (_, n) => {
      const hz = 150 - (40 * n) / (words * wordSamples);
      const loudness = Math.max(0, Math.sin((1.25 * Math.PI * (n % wordSamples)) / wordSamples));
      const voice = [1, 2, 3, 4, 5, 6].reduce(
        (sum, k) => sum + Math.sin((2 * Math.PI * k * hz * n) / SAMPLE_RATE) / k,
        0,
      );
      return 5_000 * loudness * voice;
    }),
  );
}
