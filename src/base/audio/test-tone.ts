import { Goertzel } from './goertzel.js';

const FRAMES_PER_SECOND = 50;
/** Of full scale: loud enough for any codec, and not to clip when two are mixed. */
const AMPLITUDE = 8_000;
/** Least part of a frame's energy that the tone must be, 0 to 1. */
const LEAST_SHARE = 0.5;
/** Least mean energy of a sample in which the tone is looked for: -50 dB relative to full scale. */
const LEAST_ENERGY = (32_768 * 10 ** (-50 / 20)) ** 2;

/** A steady tone, said at one end of a connection to see whether it comes out at the other. */
export class TestTone {
  /** 20 ms of the tone, in whole cycles: one after the other they have no seam. */
  readonly frame: Int16Array;
  readonly #bin: Goertzel;

  /**
   * @param frequency in hertz: a multiple of 50, below half the rate
   * @param sampleRate in hertz: a multiple of 50
   */
  constructor(frequency: number, sampleRate: number) {
    this.#bin = new Goertzel(frequency, sampleRate);
    this.frame = Int16Array.from({ length: sampleRate / FRAMES_PER_SECOND }, (_, n) =>
      Math.round(AMPLITUDE * Math.sin((2 * Math.PI * frequency * n) / sampleRate)),
    );
  }

  /** Whether 20 ms of sound are mostly this tone, and loud enough to be heard. */
  isIn(pcm: Int16Array): boolean {
    const block = Float64Array.from(pcm);
    const energy = block.reduce((sum, sample) => sum + sample * sample, 0);
    if (energy < LEAST_ENERGY * block.length) return false;
    this.#bin.measure(block);
    return (2 * this.#bin.power) / (energy * block.length) >= LEAST_SHARE;
  }
}
