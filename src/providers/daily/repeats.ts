import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Rejects with the signal's reason when that is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<unknown>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) =>
    sleep(ms, undefined, { signal }).catch((error) => {
      signal?.throwIfAborted();
      throw error;
    }),
};

const MAX_REPEATS = 4;
/** No repetition begins later than this after the first try, in milliseconds. */
const MAX_DELAY_MS = 10_000;
/** Before the first repetition, in milliseconds; doubles each time. A random part of it is added. */
const FIRST_WAIT_MS = 250;
/** The longest of the waits the provider asks for that is granted, in milliseconds. */
const MAX_ASKED_MS = 5_000;

/** The waits before the repetitions of one request. */
export class Repeats {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /**
   * Waits until the next repetition is due.
   * @param askedMs how long the provider asked to be left alone
   * @returns false, at once, when there is none any more
   */
  async next(askedMs = 0, signal?: AbortSignal): Promise<boolean> {
    const backoffMs = FIRST_WAIT_MS * 2 ** this.#count * (1 + Math.random());
    const waitMs = Math.max(backoffMs, Math.min(askedMs, MAX_ASKED_MS));
    const passedMs = this.#clock.now() - this.#startedAt;
    if (this.#count === MAX_REPEATS || passedMs + waitMs > MAX_DELAY_MS) return false;
    this.#count += 1;
    await this.#clock.pause(waitMs, signal);
    return true;
  }
}
