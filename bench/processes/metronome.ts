import { type CarrierStream, FRAME_MS } from './carrier-stream.js';

/** Makes every line send a frame each 20 ms, evenly spread over that time, on absolute deadlines. */
export class Metronome {
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #beats = 0;

  /** @param lines may still grow up to `count` */
  constructor(
    private readonly lines: readonly CarrierStream[],
    private readonly count: number,
  ) {
    this.#timer = setInterval(() => this.#sendDue(), 1);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sendDue(): void {
    const due = ((performance.now() - this.#startedAt) / FRAME_MS) * this.count;
    for (; this.#beats < due; this.#beats += 1) this.lines[this.#beats % this.count]?.sendFrame();
  }
}
