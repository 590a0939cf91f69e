import { FRAME_MS } from '../../base/audio/frame.js';
import { Resampler } from '../../base/audio/resampler.js';
import type { PcmFrame } from './frame.js';

/** What the resampler holds back, in milliseconds. */
const LOOK_AHEAD_MS = 4;

/** Converts 20 ms frames between two sample rates, one for one. Silence costs nothing once what was before has faded. */
export class FrameResampler {
  readonly #resampler: Resampler;
  readonly #silence: Int16Array;
  #isQuiet = true;

  constructor(fromRate: number, toRate: number) {
    this.#resampler = new Resampler(fromRate, toRate);
    this.#resampler.process(new Int16Array((fromRate * LOOK_AHEAD_MS) / 1_000));
    this.#silence = new Int16Array((fromRate * FRAME_MS) / 1_000);
  }

  process(frame: Int16Array): Int16Array;
  process(frame: PcmFrame): PcmFrame;
  process(frame: PcmFrame): PcmFrame {
    if (!frame && this.#isQuiet) return undefined;
    this.#isQuiet = !frame;
    return this.#resampler.process(frame ?? this.#silence);
  }
}
