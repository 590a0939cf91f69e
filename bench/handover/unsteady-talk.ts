import { FRAME_MS } from '../processes/carrier-stream.js';
import type { FarEnd } from './far-end.js';

/** Makes a far end talk by a clock of its own, over a line on which each frame takes another time, and none overtakes another. */
export class UnsteadyTalk {
  readonly #frameMs: number;
  readonly #timer: NodeJS.Timeout;
  #spokenAt = performance.now();
  #dueAt: number;

  /** @param jitterMs a frame may be late by as much */
  constructor(
    private readonly farEnd: FarEnd,
    private readonly jitterMs: number,
  ) {
    this.#frameMs = FRAME_MS / farEnd.ownClockRate;
    this.#dueAt = this.#spokenAt;
    this.#timer = setInterval(() => this.#sendDue(), 1);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sendDue(): void {
    while (performance.now() >= this.#dueAt) {
      this.farEnd.sendFrame(this.#spokenAt);
      this.#spokenAt += this.#frameMs;
      this.#dueAt = Math.max(this.#dueAt, this.#spokenAt + Math.random() * this.jitterMs);
    }
  }
}
