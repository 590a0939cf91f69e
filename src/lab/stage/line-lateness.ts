import { FRAME_MS } from '../../base/audio/frame.js';

/** How late the audio of a call comes, by the clock of this process: what the network, the line and this process were busy with. */
export class LineLateness {
  #frames = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #worstMs = 0;

  /** 20 ms have come. @param nowMs monotonic, in milliseconds */
  came(nowMs: number): void {
    const behindMs = nowMs - this.#frames * FRAME_MS;
    this.#frames += 1;
    this.#leastMs = Math.min(this.#leastMs, behindMs);
    this.#worstMs = Math.max(this.#worstMs, behindMs - this.#leastMs);
  }

  /** Of the latest frame so far, against the one that came soonest for its place. */
  get worstMs(): number {
    return this.#worstMs;
  }
}
