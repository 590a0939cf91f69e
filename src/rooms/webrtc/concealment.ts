/** How far back is looked for a period, in samples: the lowest voice has one of 15 ms, the search one of 5 to 15 ms. */
const HISTORY = 280;
const SHORTEST_PERIOD = 40;
const LONGEST_PERIOD = 120;

/** What is compared with what came a period earlier. */
const TEMPLATE = 160;

/** The first 10 ms are repeated as they are, the rest fades until nothing is left after 60 ms. */
const FADE_FROM = 80;
const FADE_TO = 480;

/** Over this many samples real audio replaces what stood in for it: 4 ms. */
const BLEND = 32;

/**
 * Fills gaps in telephone audio of 8000 Hz by repeating the last pitch period, ever more quietly.
 * @see ITU-T G.711 appendix I, which this follows in spirit: it adds no delay and repeats one period only
 */
export class Concealment {
  readonly #history = new Int16Array(HISTORY);
  /** What is repeated; undefined while nothing is missing. */
  #period: Int16Array | undefined;
  #filled = 0;

  /** Takes audio that has arrived. @returns what to play: the same, blended with what stood in for the audio before */
  heard(pcm: Int16Array): Int16Array {
    const period = this.#period;
    if (period) {
      const length = Math.min(BLEND, pcm.length);
      const tail = this.#continue(period, length);
      for (let n = 0; n < length; n += 1) {
        const weight = (n + 1) / (BLEND + 1);
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
      this.#period = this.#history.slice(HISTORY - periodOf(this.#history));
      this.#filled = 0;
    }
    const pcm = this.#continue(this.#period, samples);
    this.#remember(pcm);
    return pcm;
  }

  #continue(period: Int16Array, samples: number): Int16Array {
    const pcm = new Int16Array(samples);
    for (let n = 0; n < samples && this.#filled < FADE_TO; n += 1, this.#filled += 1) {
      const gain = Math.min(1, (FADE_TO - this.#filled) / (FADE_TO - FADE_FROM));
      pcm[n] = Math.round((period[this.#filled % period.length] as number) * gain);
    }
    return pcm;
  }

  #remember(pcm: Int16Array): void {
    const kept = Math.min(pcm.length, HISTORY);
    this.#history.copyWithin(0, kept);
    this.#history.set(pcm.subarray(pcm.length - kept), HISTORY - kept);
  }
}

/** The lag at which the end of `history` is most like itself, in samples. */
function periodOf(history: Int16Array): number {
  const start = history.length - TEMPLATE;
  let best = LONGEST_PERIOD;
  let bestLikeness = 0;
  for (let lag = SHORTEST_PERIOD; lag <= LONGEST_PERIOD; lag += 1) {
    let product = 0;
    let energy = 0;
    for (let n = start; n < history.length; n += 1) {
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
