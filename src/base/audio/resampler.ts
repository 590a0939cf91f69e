import { VoicebotError } from '../errors.js';
import { type PolyphaseFilter, polyphaseFilter } from './polyphase-filter.js';

/** Rates that can be converted, in hertz. 22050 Hz is what voices on this machine speak at, 44100 Hz what some sound devices have. */
export const RESAMPLED_RATES: readonly number[] = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];

const EMPTY = new Int16Array(0);

/**
 * Converts a stream of samples between two of the rates 8000, 16000, 22050, 24000, 44100 and 48000 Hz.
 *
 * The output depends only on the samples, not on how they were cut into pieces. It is aligned with the input in time:
 * `process` holds back the last 4 ms (counted at the lower rate) until their right-hand neighbours arrive, so the
 * first piece comes out that much shorter, and `flush` gives the rest. After `flush`, `n` samples in have given exactly
 * `Math.ceil(n * toRate / fromRate)` samples out. Peaks beyond 16 bits are clipped.
 */
export class Resampler {
  /** Undefined when the rates are equal. */
  readonly #filter: PolyphaseFilter | undefined;
  /** Input that later output still needs, oldest first, in the first `#held` places. */
  #window = new Float64Array(0);
  #held = 0;
  /** Phase of the next output sample. Its first tap is always at the start of the window. */
  #phase = 0;

  /** @throws VoicebotError VB_AUDIO_INVALID for a rate that is not supported */
  constructor(fromRate: number, toRate: number) {
    for (const rate of [fromRate, toRate]) {
      if (!RESAMPLED_RATES.includes(rate)) {
        throw new VoicebotError('VB_AUDIO_INVALID', `cannot resample ${fromRate} Hz to ${toRate} Hz`, {
          hint: `Use one of ${RESAMPLED_RATES.join(', ')} Hz.`,
        });
      }
    }
    if (fromRate !== toRate) this.#filter = polyphaseFilter(fromRate, toRate);
    this.reset();
  }

  /**
   * Takes the next samples and gives those that are complete, possibly none. With equal rates it returns `pcm` itself;
   * otherwise the result is a new array.
   */
  process(pcm: Int16Array): Int16Array {
    const filter = this.#filter;
    if (!filter) return pcm;
    this.#append(pcm);
    const { up, down, tapsPerPhase, phases } = filter;
    const window = this.#window;
    const starts = this.#held - tapsPerPhase + 1; // places where a filter can start
    const output = new Int16Array(Math.max(0, Math.ceil((starts * up - this.#phase) / down)));
    let first = 0;
    let phase = this.#phase;
    for (let n = 0; n < output.length; n += 1) {
      output[n] = toInt16(filterAt(window, first, phases[phase] as Float64Array));
      phase += down;
      while (phase >= up) {
        phase -= up;
        first += 1;
      }
    }
    this.#phase = phase;
    window.copyWithin(0, first, this.#held);
    this.#held -= first;
    return output;
  }

  /** Ends the stream: gives the samples still held back, then starts anew. */
  flush(): Int16Array {
    if (!this.#filter) return EMPTY;
    const rest = this.process(new Int16Array(this.#filter.tapsPerPhase / 2));
    this.reset();
    return rest;
  }

  /** Forgets everything heard so far, as after an interruption. */
  reset(): void {
    this.#held = this.#filter ? this.#filter.tapsPerPhase / 2 - 1 : 0; // silence before the first sample
    this.#window.fill(0);
    this.#phase = 0;
  }

  #append(pcm: Int16Array): void {
    const length = this.#held + pcm.length;
    if (length > this.#window.length) {
      const larger = new Float64Array(length);
      larger.set(this.#window.subarray(0, this.#held));
      this.#window = larger;
    }
    this.#window.set(pcm, this.#held);
    this.#held = length;
  }
}

/** Keeps four sums side by side, because with one each addition waits for the last; taps come in multiples of four. */
function filterAt(window: Float64Array, first: number, taps: Float64Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = 0; i < taps.length; i += 4) {
    const at = first + i;
    s0 += (taps[i] as number) * (window[at] as number);
    s1 += (taps[i + 1] as number) * (window[at + 1] as number);
    s2 += (taps[i + 2] as number) * (window[at + 2] as number);
    s3 += (taps[i + 3] as number) * (window[at + 3] as number);
  }
  return s0 + s1 + s2 + s3;
}

function toInt16(value: number): number {
  if (value >= 32_767) return 32_767;
  if (value <= -32_768) return -32_768;
  return Math.round(value);
}
