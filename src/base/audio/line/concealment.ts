/** How far back is looked for a period, in milliseconds: the lowest voice has one of 15 ms, the search one of 5 to 15 ms. */
const HISTORY_MS = 35;
const SHORTEST_PERIOD_MS = 5;
const LONGEST_PERIOD_MS = 15;

/** What is compared with what came a period earlier, in milliseconds. */
const TEMPLATE_MS = 20;

/** The first 10 ms are repeated as they are, the rest fades until nothing is left after 60 ms. */
const FADE_FROM_MS = 10;
const FADE_TO_MS = 60;

/** Over this time real audio replaces what stood in for it, in milliseconds. */
const BLEND_MS = 4;

/**
 * Fills gaps in audio by repeating the last pitch period, ever more quietly.
 * @see ITU-T G.711 appendix I, which this follows in spirit: it adds no delay and repeats one period only
 */
export class Concealment {
  readonly #history: Int16Array;
  readonly #samplesPerMs: number;
  /** What is repeated; undefined while nothing is missing. */
  #period: Int16Array | undefined;
  #filled = 0;

  /** @param sampleRate in hertz */
  constructor(sampleRate = 8_000) {
    this.#samplesPerMs = sampleRate / 1_000;
    this.#history = new Int16Array(HISTORY_MS * this.#samplesPerMs);
  }

  /** Takes audio that has arrived. @returns what to play: the same, blended with what stood in for the audio before */
  heard(pcm: Int16Array): Int16Array {
    const period = this.#period;
    if (period) {
      const length = Math.min(BLEND_MS * this.#samplesPerMs, pcm.length);
      const tail = this.#continue(period, length);
      for (let n = 0; n < length; n += 1) {
        const weight = (n + 1) / (length + 1);
        pcm[n] = Math.round((pcm[n] as number) * weight + (tail[n] as number) * (1 - weight));
      }
      this.#period = undefined;
    }
    this.#remember(pcm);
    return pcm;
  }

  /** @returns what to play instead of this many samples that are missing */
  conceal(samples: number): Int16Array {
    if (!this.#period) {
      this.#period = this.#history.slice(this.#history.length - periodOf(this.#history, this.#samplesPerMs));
      this.#filled = 0;
    }
    const pcm = this.#continue(this.#period, samples);
    this.#remember(pcm);
    return pcm;
  }

  #continue(period: Int16Array, samples: number): Int16Array {
    const pcm = new Int16Array(samples);
    const fadeTo = FADE_TO_MS * this.#samplesPerMs;
    const fadeLength = fadeTo - FADE_FROM_MS * this.#samplesPerMs;
    for (let n = 0; n < samples && this.#filled < fadeTo; n += 1, this.#filled += 1) {
      const gain = Math.min(1, (fadeTo - this.#filled) / fadeLength);
      pcm[n] = Math.round((period[this.#filled % period.length] as number) * gain);
    }
    return pcm;
  }

  #remember(pcm: Int16Array): void {
    const { length } = this.#history;
    const kept = Math.min(pcm.length, length);
    this.#history.copyWithin(0, kept);
    this.#history.set(pcm.subarray(pcm.length - kept), length - kept);
  }
}

/** The lag at which the end of `history` is most like itself, in samples. */
function periodOf(history: Int16Array, samplesPerMs: number): number {
  const start = history.length - TEMPLATE_MS * samplesPerMs;
  const step = samplesPerMs / 8;
  let best = LONGEST_PERIOD_MS * samplesPerMs;
  let bestLikeness = 0;
  for (let lag = SHORTEST_PERIOD_MS * samplesPerMs; lag <= LONGEST_PERIOD_MS * samplesPerMs; lag += step) {
    let product = 0;
    let energy = 0;
    for (let n = start; n < history.length; n += step) {
      const earlier = history[n - lag] as number;
      product += (history[n] as number) * earlier;
      energy += earlier * earlier;
    }
    const likeness = energy > 0 ? product / Math.sqrt(energy) : 0;
    if (likeness > bestLikeness) {
      bestLikeness = likeness;
      best = lag;
    }
  }
  return best;
}
