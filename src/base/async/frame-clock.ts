import { FRAME_MS } from '../audio/frame.js';

/** When the clock is more than this many ticks behind, it drops the missed ticks: the machine was asleep. */
const MAX_TICKS_BEHIND = 100;

/**
 * A clock for audio: one tick per 20 ms frame, for all listeners. Deadlines are absolute and monotonic, so ticks
 * do not drift; after a late wake-up the missed ticks follow one per turn of the event loop, which lets sockets be
 * read in between. It runs only while it has listeners.
 */
export class FrameClock {
  readonly #listeners = new Set<() => void>();
  #cancel: (() => void) | undefined;
  #nextAt = 0;

  /** @param tickMs real time between ticks, in milliseconds; anything but 20 makes call time run faster or slower */
  constructor(private readonly tickMs: number = FRAME_MS) {}

  /** Calls `listener` on every tick until the returned function is called. */
  onTick(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#cancel) {
      this.#nextAt = performance.now() + this.tickMs;
      this.#schedule();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Resolves after `ms` of call time, or at once when `signal` aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      let ticksLeft = Math.ceil(ms / FRAME_MS);
      const done = (): void => {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.onTick(() => {
        ticksLeft -= 1;
        if (ticksLeft <= 0) done();
      });
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #schedule(): void {
    const delayMs = this.#nextAt - performance.now();
    if (delayMs > 0) {
      const timer = setTimeout(() => this.#tick(), delayMs);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(() => this.#tick());
      this.#cancel = () => clearImmediate(immediate);
    }
  }

  #tick(): void {
    const now = performance.now();
    if (now >= this.#nextAt) {
      if (now - this.#nextAt > MAX_TICKS_BEHIND * this.tickMs) this.#nextAt = now;
      this.#nextAt += this.tickMs;
      for (const listener of this.#listeners) listener();
    }
    if (this.#listeners.size > 0) this.#schedule();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
