import type { FrameClock } from '../../base/async/frame-clock.js';

const SECOND_MS = 1_000;

/**
 * Limits how many dialled calls start within any second of call time; further calls wait in their order.
 * @see carrier reference 1.8
 */
export class DialQueue {
  readonly #waiting = new Set<() => void>();
  #started = 0;

  /** @param callsPerSecond undefined: no call waits */
  constructor(
    private readonly callsPerSecond: number | undefined,
    private readonly clock: FrameClock,
    private readonly closing: AbortSignal,
  ) {}

  /** @returns true when a call may start now, which then counts as started */
  tryStart(): boolean {
    if (this.callsPerSecond === undefined) return true;
    if (this.#waiting.size > 0 || this.#started >= this.callsPerSecond) return false;
    this.#start();
    return true;
  }

  /** Resolves when a call that had to wait has started, or at once when `signal` aborts. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#waiting.delete(start);
        resolve();
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        leave();
        this.#start();
      };
      this.#waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #start(): void {
    this.#started += 1;
    void this.clock.wait(SECOND_MS, this.closing).then(() => {
      this.#started -= 1;
      const [next] = this.#waiting;
      next?.();
    });
  }
}
