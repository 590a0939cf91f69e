const TONE_SHARE = 0.8;
/** Of the tone that the bot of the bench plays. */
const HERTZ = 600;

/** Whether 20 ms at 8000 Hz are the tone. */
export function isTone(pcm: Int16Array): boolean {
  let [real, imaginary, power] = [0, 0, 0];
  for (const [n, sample] of pcm.entries()) {
    real += sample * Math.cos((2 * Math.PI * HERTZ * n) / 8_000);
    imaginary += sample * Math.sin((2 * Math.PI * HERTZ * n) / 8_000);
    power += sample * sample;
  }
  return power > 160 * 1_000 ** 2 && (2 * (real * real + imaginary * imaginary)) / (pcm.length * power) > TONE_SHARE;
}
