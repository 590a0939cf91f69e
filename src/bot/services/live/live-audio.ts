import { decodeMulaw, encodeMulaw } from '../../../base/audio/mulaw.js';
import type { LiveFormat } from './manner.js';

/** Samples as a session takes them: in base64, those of 16 bits with the low byte first. */
export function encodeAudio({ encoding }: LiveFormat, samples: Int16Array): string {
  const { buffer, byteOffset, byteLength } = encoding === 'PCMU' ? encodeMulaw(samples) : samples;
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Audio of a session as samples; half a sample at its end is lost. */
export function decodeAudio({ encoding }: LiveFormat, audio: string): Int16Array {
  const bytes = Buffer.from(audio, 'base64');
  if (encoding === 'PCMU') return decodeMulaw(bytes);
  const samples = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(2 * index);
  return samples;
}
