import { AUDIO_HEADER_BYTES } from './wire.js';

/** 20 ms of audio on its way between a page and the bot's process. */
export interface AudioMessage {
  /** 32 bits; one more for each message. */
  readonly sequence: number;
  /** Of the first sample, in samples; 32 bits. */
  readonly timestamp: number;
  /** 16-bit PCM, little-endian. */
  readonly payload: Uint8Array;
}

export function writeAudioMessage({ sequence, timestamp, payload }: AudioMessage): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(AUDIO_HEADER_BYTES + payload.byteLength);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, sequence >>> 0, true);
  header.setUint32(4, timestamp >>> 0, true);
  bytes.set(payload, AUDIO_HEADER_BYTES);
  return bytes;
}

/** @returns undefined for what is not 20 ms at this rate */
export function readAudioMessage(bytes: Uint8Array, sampleRate: number): AudioMessage | undefined {
  if (bytes.byteLength !== AUDIO_HEADER_BYTES + sampleRate / 25) return undefined; // 50 a second, two bytes a sample
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    sequence: header.getUint32(0, true),
    timestamp: header.getUint32(4, true),
    payload: bytes.subarray(AUDIO_HEADER_BYTES),
  };
}
