import { decodeAlaw } from './alaw.js';
import { decodeMulaw } from './mulaw.js';
import { WAVE_FORMAT } from './wav-format.js';

/** Decodes samples to signed 16-bit ones; what of them is no whole sample is dropped. */
export type SampleReader = (data: Uint8Array) => Int16Array;

const { PCM, FLOAT, ALAW, MULAW } = WAVE_FORMAT;

/** Works at odd addresses and on any machine, where an array of numbers over the same bytes would not. */
const readWith =
  (bytes: number, sampleAt: (view: DataView, at: number) => number): SampleReader =>
  (data) => {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const samples = new Int16Array(Math.floor(data.length / bytes));
    for (let i = 0; i < samples.length; i += 1) samples[i] = clipped(sampleAt(view, i * bytes));
    return samples;
  };

/** Without a fraction, and nothing for what is no number. */
const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample) || 0));

/**
 * What this package reads, by format tag and bits. 8-bit PCM is unsigned, floating point is full at 1 (RFC 2361 and "Multimedia Programming
 * Interface and Data Specifications 1.0", IBM and Microsoft, 1991).
 */
const READERS: ReadonlyMap<string, SampleReader> = new Map([
  [`${PCM}/8`, readWith(1, (view, at) => (view.getUint8(at) - 128) << 8)],
  [`${PCM}/16`, readWith(2, (view, at) => view.getInt16(at, true))],
  [`${PCM}/24`, readWith(3, (view, at) => view.getInt16(at + 1, true) + view.getUint8(at) / 256)],
  [`${PCM}/32`, readWith(4, (view, at) => view.getInt32(at, true) / 65_536)],
  [`${FLOAT}/32`, readWith(4, (view, at) => view.getFloat32(at, true) * 32_768)],
  [`${FLOAT}/64`, readWith(8, (view, at) => view.getFloat64(at, true) * 32_768)],
  [`${ALAW}/8`, decodeAlaw],
  [`${MULAW}/8`, decodeMulaw],
]);

/** @returns undefined for what cannot be read */
export const sampleReaderOf = (formatTag: number, bits: number): SampleReader | undefined =>
  READERS.get(`${formatTag}/${bits}`);

/** Names of formats that cannot be read (RFC 2361, appendix A). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x0002, 'Microsoft ADPCM'],
  [0x0011, 'IMA ADPCM'],
  [0x0031, 'GSM 6.10'],
  [0x0040, 'G.721 ADPCM'],
  [0x0050, 'MPEG'],
  [0x0055, 'MP3'],
]);

export function formatName(formatTag: number): string {
  const name = NAMES.get(formatTag);
  return name === undefined ? `format ${formatTag}` : `format ${formatTag} (${name})`;
}
