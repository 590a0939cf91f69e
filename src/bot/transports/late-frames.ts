import { FRAME_MS } from '../../base/audio/frame.js';

/** A frame that comes so long after the one before has been played is late, in milliseconds: less is not heard as a gap. */
export const LATE_MS = FRAME_MS;

/** Of one utterance: the frames that found the far end with nothing to play. Positions are milliseconds since the playout began. */
export class LateFrames {
  #count = 0;
  #silentMs = 0;
  /** Where the last late frame ends. */
  #untilMs = 0;
  /** Silence around the part of a frame that was sent alone: heard as a gap when more follows, as the end when nothing does. */
  #aroundPartMs = 0;

  get count(): number {
    return this.#count;
  }

  /** For how long the far end had nothing to play. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /**
   * A frame that goes out.
   * @param atMs its position
   * @param behindMs how long ago all before it had been played; below 0 when it comes in time
   * @param hasLostPlace whether what follows is played later too; else the next frames are late as well, until they have made up for it
   * @param missingMs of the frame, when it is the last part of what there is
   */
  sent(atMs: number, behindMs: number, hasLostPlace: boolean, missingMs = 0): void {
    const silentMs = Math.max(0, behindMs) + this.#aroundPartMs;
    this.#aroundPartMs = missingMs > 0 ? silentMs + missingMs : 0;
    if (missingMs > 0 || silentMs < LATE_MS) return;
    this.#count += 1;
    if (hasLostPlace || atMs !== this.#untilMs) this.#silentMs += silentMs;
    this.#untilMs = atMs + FRAME_MS;
  }

  reset(): void {
    this.#count = 0;
    this.#silentMs = 0;
    this.#aroundPartMs = 0;
  }
}
