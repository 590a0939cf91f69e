/** The mu-law code of a zero sample: what fills a gap in a PCMU stream. */
export const MULAW_SILENCE = 0xff;

const BIAS = 132;
const CLIP = 32_635;

function encodeSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const exponent = 24 - Math.clz32(magnitude); // the bias keeps bit 7 or a higher one set
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff; // bits travel inverted
}

function decodeSample(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + BIAS) << ((bits & 0x70) >> 4)) - BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

/** Indexed by the sample's two's complement bits. */
const ENCODE = Uint8Array.from({ length: 65_536 }, (_, bits) => encodeSample((bits << 16) >> 16));
const DECODE = Int16Array.from({ length: 256 }, (_, code) => decodeSample(code));

/**
 * Encodes linear PCM as G.711 mu-law.
 * @param pcm signed 16-bit samples; magnitudes above 32635 are clipped
 * @returns one byte per sample, in a buffer of its own that nothing else holds; never throws
 * @see ITU-T G.711 and RFC 3551 section 4.5.14 (PCMU)
 */
export function encodeMulaw(pcm: Int16Array): Uint8Array {
  return encodeMulawInto(new Uint8Array(pcm.length), pcm);
}

/**
 * The same into memory that is there already.
 * @param payload as long as `pcm`
 * @returns `payload`
 */
export function encodeMulawInto(payload: Uint8Array, pcm: Int16Array): Uint8Array {
  for (let i = 0; i < pcm.length; i += 1) payload[i] = ENCODE[(pcm[i] as number) & 0xffff] as number;
  return payload;
}

/**
 * Decodes G.711 mu-law to linear PCM.
 * @param payload one byte per sample; 20 ms at 8000 Hz is 160 bytes
 * @returns as many samples as bytes, each between -32124 and 32124; never throws
 * @see ITU-T G.711 and RFC 3551 section 4.5.14 (PCMU)
 */
export function decodeMulaw(payload: Uint8Array): Int16Array {
  const pcm = new Int16Array(payload.length);
  for (let i = 0; i < payload.length; i += 1) pcm[i] = DECODE[payload[i] as number] as number;
  return pcm;
}

const SQUARES = Float64Array.from(DECODE, (sample) => sample ** 2);

/** The level of mu-law as `levelDb` says that of its samples, in decibels below full scale; `-Infinity` for digital silence. */
export function mulawLevelDb(payload: Uint8Array): number {
  let energy = 0;
  for (let i = 0; i < payload.length; i += 1) energy += SQUARES[payload[i] as number] as number;
  return energy === 0 ? -Infinity : 10 * Math.log10(energy / payload.length / 32_768 ** 2);
}
