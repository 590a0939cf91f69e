import { payloadCoding } from '../../../base/audio/payload.js';
import type { LiveFormat } from './manner.js';

/** Samples as a session takes them: in base64, those of 16 bits with the low byte first. */
export function encodeAudio({ encoding }: LiveFormat, samples: Int16Array): string {
  const { buffer, byteOffset, byteLength } = payloadCoding(encoding).encode(samples);
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Audio of a session as samples; half a sample at its end is lost. */
export function decodeAudio({ encoding }: LiveFormat, audio: string): Int16Array {
  return payloadCoding(encoding).decode(Buffer.from(audio, 'base64'));
}
