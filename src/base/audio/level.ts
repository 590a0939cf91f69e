/**
 * The level of a stretch of audio: its RMS relative to full scale (32768), in decibels. A full-scale square wave is at
 * 0 dB, a full-scale sine at -3.01 dB (dBov of ITU-T G.100.1).
 * @returns at most 0; `-Infinity` for digital silence and for no samples at all
 */
export function levelDb(pcm: Int16Array): number {
  const power = meanSquare(pcm);
  return power > 0 ? 10 * Math.log10(power / 32_768 ** 2) : -Infinity;
}

/** The mean of the squares of all samples, in squared sample units; not a number for no samples at all. */
export function meanSquare(pcm: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < pcm.length; i += 1) sum += (pcm[i] as number) ** 2;
  return sum / pcm.length;
}
