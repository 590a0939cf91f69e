import { renderHoldMelody } from './hold-melody.js';

interface Cadence {
  /** Hertz; whole cycles fit into `onMs`, so that the tone begins and ends at zero. */
  readonly frequencies: readonly number[];
  /** Level of each frequency in dBm0. */
  readonly level: number;
  readonly onMs: number;
  readonly offMs: number;
}

const RINGBACK: Cadence = { frequencies: [440, 480], level: -19, onMs: 2_000, offMs: 4_000 };
const BUSY: Cadence = { frequencies: [480, 620], level: -24, onMs: 500, offMs: 500 };
const CONGESTION: Cadence = { frequencies: [480, 620], level: -24, onMs: 250, offMs: 250 };

/** Level of a full-scale sine in mu-law (ITU-T G.711). */
const FULL_SCALE_DBM0 = 3.17;

/** Loops rendered so far, by sound and rate; every source of the same sound shares one. */
const loops = new Map<string, Int16Array>();

/**
 * An endless call-progress tone or hold melody. Reading goes on where it stopped: cadence and phase are exact over any
 * pieces. Frequencies and cadences are those of the United States (ITU-T E.180 supplement 2), levels those of the
 * North American precise tone plan. Rates are in hertz.
 */
export class ToneSource {
  readonly #loop: Int16Array;
  #position = 0;

  private constructor(sound: string, rate: number, render: () => Int16Array) {
    const key = `${sound}/${rate}`;
    this.#loop = loops.get(key) ?? render();
    loops.set(key, this.#loop);
  }

  /** What a caller hears while the far end rings: 2 s on, 4 s off. */
  static ringback(rate = 8_000): ToneSource {
    return new ToneSource('ringback', rate, () => renderCadence(RINGBACK, rate));
  }

  /** The far end is busy: 0.5 s on, 0.5 s off. */
  static busy(rate = 8_000): ToneSource {
    return new ToneSource('busy', rate, () => renderCadence(BUSY, rate));
  }

  /** The network is busy (reorder tone): 0.25 s on, 0.25 s off. */
  static congestion(rate = 8_000): ToneSource {
    return new ToneSource('congestion', rate, () => renderCadence(CONGESTION, rate));
  }

  /** A quiet melody for a caller who waits; repeats without a seam. */
  static hold(rate = 8_000): ToneSource {
    return new ToneSource('hold', rate, () => renderHoldMelody(rate));
  }

  /** The next `samples` mono samples, in an array of their own. */
  read(samples: number): Int16Array {
    const output = new Int16Array(samples);
    let filled = 0;
    while (filled < samples) {
      const part = this.#loop.subarray(this.#position, this.#position + samples - filled);
      output.set(part, filled);
      filled += part.length;
      this.#position = (this.#position + part.length) % this.#loop.length;
    }
    return output;
  }
}

/** Renders one round of tone and silence. */
function renderCadence({ frequencies, level, onMs, offMs }: Cadence, rate: number): Int16Array {
  const loop = new Int16Array(((onMs + offMs) * rate) / 1_000);
  const amplitude = 32_767 * 10 ** ((level - FULL_SCALE_DBM0) / 20);
  const omegas = frequencies.map((frequency) => (2 * Math.PI * frequency) / rate);
  for (let n = 0; n < (onMs * rate) / 1_000; n += 1) {
    let sum = 0;
    for (const omega of omegas) sum += Math.sin(omega * n);
    loop[n] = Math.round(amplitude * sum);
  }
  return loop;
}
