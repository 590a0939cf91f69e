/**
 * A filter of second order.
 * @see Robert Bristow-Johnson, Cookbook formulae for audio EQ biquad filter coefficients
 */
export class Biquad {
  #z1 = 0;
  #z2 = 0;

  private constructor(
    private readonly b0: number,
    private readonly b1: number,
    private readonly b2: number,
    private readonly a1: number,
    private readonly a2: number,
  ) {}

  /** A high-pass filter; it attenuates `frequency` by 3 dB. Both in hertz. */
  static highPass(frequency: number, sampleRate: number): Biquad {
    const omega = (2 * Math.PI * frequency) / sampleRate;
    const cosine = Math.cos(omega);
    const alpha = Math.sin(omega) * Math.SQRT1_2;
    const b1 = -(1 + cosine);
    return Biquad.#normalised(-b1 / 2, b1, -b1 / 2, 1 + alpha, -2 * cosine, 1 - alpha);
  }

  /** A band-pass filter between `low` and `high`, with no loss in the middle. All in hertz. */
  static bandPass(low: number, high: number, sampleRate: number): Biquad {
    const centre = Math.sqrt(low * high);
    const omega = (2 * Math.PI * centre) / sampleRate;
    const alpha = (Math.sin(omega) * (high - low)) / (2 * centre);
    return Biquad.#normalised(alpha, 0, -alpha, 1 + alpha, -2 * Math.cos(omega), 1 - alpha);
  }

  static #normalised(b0: number, b1: number, b2: number, a0: number, a1: number, a2: number): Biquad {
    return new Biquad(b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0);
  }

  /** The next sample, filtered. */
  filter(sample: number): number {
    const output = this.b0 * sample + this.#z1;
    this.#z1 = this.b1 * sample - this.a1 * output + this.#z2;
    this.#z2 = this.b2 * sample - this.a2 * output;
    return output;
  }
}
