import { decodeMulaw } from '../../../base/audio/mulaw.js';
import { RESAMPLED_RATES, Resampler } from '../../../base/audio/resampler.js';
import { decodeWav } from '../../../base/audio/wav.js';
import type { SpeechFormat } from './tts-dialect.js';

/** Beginnings of what is neither samples nor a WAV file. */
const OTHER_FORMATS: Readonly<Record<string, string>> = { ID3: 'mp3', OggS: 'Ogg', fLaC: 'FLAC' };
/** Of a response with such. */
const OTHER_TYPES = /^audio\/(?:mpeg|mp3|mp4|aac|ogg|opus|flac|webm)\b/i;

/** Audio that cannot be read. Its message says what it is. */
export class UnreadableSpeech extends Error {}

/**
 * Reads what a model made of a text.
 * @param raw how to read it where it has no header; undefined: only a WAV file can be read
 * @param mediaType of the response, where it says
 * @returns mono samples at `sampleRate`
 * @throws UnreadableSpeech for what is neither
 */
export function readSpeech(
  bytes: Uint8Array,
  raw: SpeechFormat | undefined,
  sampleRate: number,
  mediaType = '',
): Int16Array {
  const { pcm, sampleRate: given } = samplesOf(bytes, raw, mediaType);
  if (!RESAMPLED_RATES.includes(given)) throw new UnreadableSpeech(`audio at ${given} Hz`);
  const resampler = new Resampler(given, sampleRate);
  const first = resampler.process(pcm);
  const rest = resampler.flush();
  if (rest.length === 0) return first;
  const all = new Int16Array(first.length + rest.length);
  all.set(first);
  all.set(rest, first.length);
  return all;
}

function samplesOf(bytes: Uint8Array, raw: SpeechFormat | undefined, mediaType: string) {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start === 'RIFF') {
    const { channels, sampleRate } = decodeWav(bytes);
    return { pcm: channels[0], sampleRate };
  }
  const other = Object.entries(OTHER_FORMATS).find(([tag]) => start.startsWith(tag))?.[1];
  if (other) throw new UnreadableSpeech(`${other} audio`);
  if (OTHER_TYPES.test(mediaType)) throw new UnreadableSpeech(`${mediaType.split(';', 1)[0]} audio`);
  if (!raw) throw new UnreadableSpeech('audio without a WAV header');
  return { pcm: decodeSamples(bytes, raw), sampleRate: raw.sampleRate };
}

/** @returns samples in an array of their own; half a sample at the end is dropped */
function decodeSamples(bytes: Uint8Array, { encoding }: SpeechFormat): Int16Array {
  if (encoding === 'PCMU') return decodeMulaw(bytes);
  const even = bytes.slice(0, bytes.length & ~1);
  return new Int16Array(even.buffer);
}
