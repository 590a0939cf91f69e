import { decodeAlaw } from './alaw.js';
import { decodeMulaw, encodeMulawInto } from './mulaw.js';

/** How samples travel as the bytes of a media stream. */
export interface PayloadCoding {
  /** @returns bytes that are good until the next call */
  encode(pcm: Int16Array): Uint8Array;
  /** @param payload whole samples, at any place of its buffer @returns samples in an array of their own */
  decode(payload: Uint8Array): Int16Array;
}

/** What was encoded last, by any coding: frames are of one length, and on their way as text before the next one comes. */
let bytes = new Uint8Array(0);

function bytesOf(length: number): Uint8Array {
  if (bytes.length !== length) bytes = new Uint8Array(length);
  return bytes;
}

const PCMU: PayloadCoding = {
  encode: (pcm) => encodeMulawInto(bytesOf(pcm.length), pcm),
  decode: decodeMulaw,
};

/** Where the carrier was asked for mu-law both ways, and what comes in is the call's own A-law: what it gets stays as it was asked for. */
const PCMA: PayloadCoding = { encode: PCMU.encode, decode: decodeAlaw };

const LITTLE_ENDIAN_L16: PayloadCoding = {
  encode(pcm) {
    const payload = bytesOf(2 * pcm.length);
    for (let i = 0; i < pcm.length; i += 1) {
      const sample = pcm[i] as number;
      payload[2 * i] = sample;
      payload[2 * i + 1] = sample >> 8;
    }
    return payload;
  },
  decode(payload) {
    const pcm = new Int16Array(payload.length >> 1);
    for (let i = 0; i < pcm.length; i += 1) {
      pcm[i] = (payload[2 * i] as number) | ((payload[2 * i + 1] as number) << 8);
    }
    return pcm;
  },
};

/**
 * @param encoding as RFC 3551 names it, but `L16` is little-endian here
 * @returns undefined for one that is not known
 */
export function payloadCoding(encoding: 'PCMU' | 'PCMA' | 'L16'): PayloadCoding;
export function payloadCoding(encoding: string): PayloadCoding | undefined;
export function payloadCoding(encoding: string): PayloadCoding | undefined {
  if (encoding === 'PCMU') return PCMU;
  if (encoding === 'PCMA') return PCMA;
  return encoding === 'L16' ? LITTLE_ENDIAN_L16 : undefined;
}
