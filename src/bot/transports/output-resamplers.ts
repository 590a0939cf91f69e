import { Resampler } from '../../base/audio/resampler.js';

/** What brings the bot's audio to the rate of its output: one resampler for each rate that voices have. */
export class OutputResamplers {
  readonly #byRate = new Map<number, Resampler>();

  /** @param pcm at `sampleRate`, in Hz @returns the same at `outputRate`; the last milliseconds wait for more */
  process(pcm: Int16Array, sampleRate: number, outputRate: number): Int16Array {
    if (sampleRate === outputRate) return pcm;
    const known = this.#byRate.get(sampleRate) ?? new Resampler(sampleRate, outputRate);
    this.#byRate.set(sampleRate, known);
    return known.process(pcm);
  }

  /** What waits for more. */
  flush(): Int16Array[] {
    return [...this.#byRate.values()].map((each) => each.flush());
  }

  reset(): void {
    for (const each of this.#byRate.values()) each.reset();
  }
}
