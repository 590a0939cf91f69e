/** One bin of a discrete Fourier transform at any frequency, by the Goertzel algorithm. */
export class Goertzel {
  readonly #cosine: number;
  readonly #sine: number;
  #real = 0;
  #imaginary = 0;

  /** @param frequency and `sampleRate` in hertz */
  constructor(
    readonly frequency: number,
    sampleRate: number,
  ) {
    const omega = (2 * Math.PI * frequency) / sampleRate;
    this.#cosine = Math.cos(omega);
    this.#sine = Math.sin(omega);
  }

  measure(block: Float64Array): void {
    const factor = 2 * this.#cosine;
    let s1 = 0;
    let s2 = 0;
    for (let i = 0; i < block.length; i += 1) {
      const s0 = (block[i] as number) + factor * s1 - s2;
      s2 = s1;
      s1 = s0;
    }
    this.#real = s1 - this.#cosine * s2;
    this.#imaginary = this.#sine * s2;
  }

  /** Squared magnitude of the bin in the block last measured. */
  get power(): number {
    return this.#real * this.#real + this.#imaginary * this.#imaginary;
  }

  /** Phase of the bin at the end of the block last measured, in radians from -pi to pi. */
  get phase(): number {
    return Math.atan2(this.#imaginary, this.#real);
  }
}
