/** Bits travel with every other one inverted. */
const INVERTED = 0x55;

function decodeSample(code: number): number {
  const bits = code ^ INVERTED;
  const exponent = (bits & 0x70) >> 4;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

const DECODE = Int16Array.from({ length: 256 }, (_, code) => decodeSample(code));

/**
 * Decodes G.711 A-law, the companding of Europe's telephone network, to linear PCM.
 * @param payload one byte per sample; 20 ms at 8000 Hz is 160 bytes
 * @returns as many samples as bytes, each between -32256 and 32256; never throws
 * @see ITU-T G.711 and RFC 3551 section 4.5.14 (PCMA)
 */
export function decodeAlaw(payload: Uint8Array): Int16Array {
  const pcm = new Int16Array(payload.length);
  for (let i = 0; i < payload.length; i += 1) pcm[i] = DECODE[payload[i] as number] as number;
  return pcm;
}
