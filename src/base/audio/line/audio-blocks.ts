/** Between the 16 bits of a call and the blocks of a browser's audio thread. */
import type { IncomingAudio } from './incoming-audio.js';

/** @param sample -1 to 1; what is beyond is clipped */
export const toInt16 = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));

/** Plays what comes in, evened out in time. */
export class BlockPlayer {
  #pcm: Int16Array = new Int16Array(0);
  #played = 0;

  constructor(private readonly incoming: IncomingAudio) {}

  /** Fills a block of the audio thread: with silence where nothing has come. @param nowMs monotonic, as whatever comes in is told */
  play(samples: Float32Array, nowMs: number): void {
    for (let n = 0; n < samples.length; n += 1) {
      if (this.#played === this.#pcm.length) {
        this.#pcm = this.incoming.hear(nowMs);
        this.#played = 0;
      }
      samples[n] = (this.#pcm[this.#played] as number) / 32_768;
      this.#played += 1;
    }
  }
}
