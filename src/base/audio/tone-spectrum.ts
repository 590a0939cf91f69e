import { Goertzel } from './goertzel.js';

/** One frequency of a sound. */
export interface Partial {
  /** Hertz, right within a few. */
  readonly frequency: number;
  /** Part of the window's energy that it holds, 0 to 1. */
  readonly share: number;
}

/** Bins of the window whose energy belongs to a frequency, on each side of the nearest one. */
const NEIGHBOURS = 1;

/** Finds the strongest frequencies of a window of samples. */
export class ToneSpectrum {
  readonly #bins: readonly Goertzel[];
  readonly #shape: Float64Array;
  readonly #block: Float64Array;
  readonly #shares: Float64Array;
  readonly #binWidth: number;

  /**
   * @param length samples of a window
   * @param lowest lowest and highest frequency looked for, in hertz, like the rate
   */
  constructor(length: number, sampleRate: number, lowest: number, highest: number) {
    this.#binWidth = sampleRate / length;
    const first = Math.floor(lowest / this.#binWidth) - NEIGHBOURS;
    const last = Math.ceil(highest / this.#binWidth) + NEIGHBOURS;
    this.#bins = Array.from(
      { length: last - first + 1 },
      (_, i) => new Goertzel((first + i) * this.#binWidth, sampleRate),
    );
    this.#shape = Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length));
    this.#block = new Float64Array(length);
    this.#shares = new Float64Array(this.#bins.length);
  }

  /** The strongest frequency of the window, and the strongest of those that can be told from it. */
  measure(window: Float64Array): [strongest: Partial, second: Partial] {
    let energy = 0;
    for (let i = 0; i < window.length; i += 1) {
      const sample = (window[i] as number) * (this.#shape[i] as number);
      this.#block[i] = sample;
      energy += sample * sample;
    }
    const scale = energy === 0 ? 0 : 2 / (window.length * energy);
    this.#bins.forEach((bin, i) => {
      bin.measure(this.#block);
      this.#shares[i] = bin.power * scale;
    });
    const strongest = this.#peak(() => true);
    const second = this.#peak((i) => Math.abs(i - strongest) > 2 * NEIGHBOURS);
    return [this.#partial(strongest), this.#partial(second)];
  }

  #peak(isAllowed: (index: number) => boolean): number {
    let peak = NEIGHBOURS;
    let most = -1;
    for (let i = NEIGHBOURS; i < this.#shares.length - NEIGHBOURS; i += 1) {
      const share = this.#shares[i] as number;
      if (share <= most || !isAllowed(i)) continue;
      peak = i;
      most = share;
    }
    return peak;
  }

  /** The frequency between the bins, by a parabola through the logarithms, and what the three bins hold. */
  #partial(index: number): Partial {
    const [before, at, after] = [index - 1, index, index + 1].map((i) => this.#shares[i] as number) as [
      number,
      number,
      number,
    ];
    const [a, b, c] = [before, at, after].map((share) => Math.log(share + 1e-12)) as [number, number, number];
    const curve = a - 2 * b + c;
    const offset = curve < 0 ? Math.max(-0.5, Math.min(0.5, (a - c) / (2 * curve))) : 0;
    const frequency = (this.#bins[index] as Goertzel).frequency + offset * this.#binWidth;
    return { frequency, share: before + at + after };
  }
}
