import { payloadCoding } from '../../base/audio/payload.js';

/** What a fake voice makes of a text. */
export type FakeSpeechReply =
  | 'speak'
  /** Nothing comes, ever. */
  | 'hang'
  /** The connection breaks, after so much audio of the text. */
  | { readonly dropAfterMs: number }
  /** The provider's error. `status` as of HTTP, where the provider has such. */
  | { readonly error: string; readonly status?: number };

/** How a fake voice speaks. */
export interface FakeVoiceOptions {
  /** The one key that is accepted. Default: any. */
  apiKey?: string;
  /** How long a character is spoken, in milliseconds. Default 60. */
  characterMs?: number;
  /** Makes the audio of a text. Default: {@link buzz}, so long that every character lasts `characterMs`. */
  audio?: (text: string, sampleRate: number) => Int16Array;
  /** Time between a text and its first audio, in milliseconds. Default 0. */
  firstByteMs?: number;
  /** Audio of one message, in bytes; any number, also an odd one. Default: 100 ms of audio. */
  chunkBytes?: number;
  /** Time between two messages of audio, in milliseconds. Default 0: much faster than real time. */
  betweenChunksMs?: number;
  /** What becomes of a text. @param count how many texts were asked for before. Default: it is spoken. */
  reply?: (text: string, count: number) => FakeSpeechReply;
}

/** Hertz. */
const BUZZ_RATE = 250;
const BUZZ_AMPLITUDE = 8_000;

/** A steady tone of 250 Hz, as long as it is told to be, about -15 dBFS. @param sampleRate hertz */
export function buzz(durationMs: number, sampleRate: number): Int16Array {
  const length = Math.round((durationMs * sampleRate) / 1_000);
  return Int16Array.from(
    { length },
    (_, i) => BUZZ_AMPLITUDE * Math.sin((2 * Math.PI * BUZZ_RATE * (i + 0.5)) / sampleRate),
  );
}

/** A word of a text, and when it is spoken when every character takes equally long. In milliseconds. */
export interface FakeWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export function fakeWords(text: string, durationMs: number): FakeWord[] {
  const perCharacter = durationMs / Math.max(1, text.length);
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word,
    startMs: index * perCharacter,
    endMs: (index + word.length) * perCharacter,
  }));
}

/** How audio is written: mu-law, or 16 bits. */
export type FakeEncoding = 'PCMU' | 'L16';

/** A piece of audio as a fake voice sends it, and where it stands in its text. */
export interface FakeChunk {
  readonly bytes: Buffer;
  readonly startMs: number;
  readonly endMs: number;
  /** Length of the whole text's audio. */
  readonly totalMs: number;
}

/** The audio of a text, cut into messages. */
export function fakeChunks(
  text: string,
  sampleRate: number,
  encoding: FakeEncoding,
  { characterMs = 60, audio, chunkBytes }: FakeVoiceOptions,
): FakeChunk[] {
  const spoken = text.trim();
  const pcm = audio?.(spoken, sampleRate) ?? buzz(spoken.length * characterMs, sampleRate);
  const bytes = Buffer.from(payloadCoding(encoding).encode(pcm));
  const perMs = bytesPerMs(encoding, sampleRate);
  const size = chunkBytes ?? 100 * perMs;
  const chunks: FakeChunk[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    const [startMs, endMs] = [at / perMs, (at + part.length) / perMs];
    chunks.push({ bytes: part, startMs, endMs, totalMs: bytes.length / perMs });
  }
  return chunks;
}

/** Bytes of one millisecond of audio. */
export const bytesPerMs = (encoding: FakeEncoding, sampleRate: number): number =>
  (sampleRate / 1_000) * (encoding === 'PCMU' ? 1 : 2);
