import { pause } from '../async/pause.js';

/** How time passes for waits between tries. */
export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Rejects with the signal's reason when that is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<unknown>;
}

export const realClock: Clock = { now: () => performance.now(), pause };

/** How often a request is tried again, and when. */
export interface RepeatPolicy {
  /** How often a request is repeated at most. */
  readonly times: number;
  /** No repetition begins later than this after the first try, in milliseconds. Default: any time later. */
  readonly withinMs?: number;
  /** Wait before the first repetition, in milliseconds; doubles each time, and a random part of it is added. Default 250. */
  readonly firstWaitMs?: number;
  /** Shortest wait after an answer 429 that asks for none, in milliseconds. Default 0. */
  readonly busyWaitMs?: number;
}

/** The longest of the waits a provider asks for that is granted, in milliseconds. */
const MAX_ASKED_MS = 5_000;

/** The waits before the repetitions of one request. */
export class Repeats {
  readonly #startedAt: number;
  #count = 0;

  constructor(
    private readonly policy: RepeatPolicy,
    private readonly clock: Clock,
  ) {
    this.#startedAt = clock.now();
  }

  /**
   * Waits until the next repetition is due.
   * @param askedMs how long the provider asked to be left alone
   * @returns false, at once, when there is none any more
   */
  async next(askedMs = 0, signal?: AbortSignal): Promise<boolean> {
    const { times, withinMs = Number.POSITIVE_INFINITY, firstWaitMs = 250 } = this.policy;
    const backoffMs = firstWaitMs * 2 ** this.#count * (1 + Math.random());
    const waitMs = Math.max(backoffMs, Math.min(askedMs, MAX_ASKED_MS));
    const passedMs = this.clock.now() - this.#startedAt;
    if (this.#count === times || passedMs + waitMs > withinMs) return false;
    this.#count += 1;
    await this.clock.pause(waitMs, signal);
    return true;
  }
}
