import { everyInterval } from '../../base/async/every-interval.js';

const LOOK_MS = 200;
/** Looks that count. */
const LOOKS = 5;

/** How late the event loop of this process is. */
export class LoopDelay {
  readonly #late: number[] = [];
  readonly #looking = everyInterval(LOOK_MS, (lateMs) => {
    this.#late.push(lateMs);
    if (this.#late.length > LOOKS) this.#late.shift();
  }).unref();

  /** The latest of the last second, in whole milliseconds. */
  get recentMs(): number {
    return Math.round(Math.max(0, ...this.#late));
  }

  close(): void {
    clearInterval(this.#looking);
  }
}
