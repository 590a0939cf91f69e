import { VoicebotError } from '../../base/errors.js';
import { DialLimitError } from './dial-limits.js';

/** Most keys remembered at once. */
export const MAX_KEYS = 10_000;
/** How long an outcome answers for its key, in milliseconds. */
export const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

interface Remembered<T> {
  readonly fingerprint: string;
  readonly outcome: Promise<T>;
  /** Set once the outcome is there. */
  settledAt?: number;
}

/** Gives requests that carry the same key one outcome, so that a repeated request does nothing twice. */
export interface RequestsOnce<T> {
  /**
   * Runs `work` unless a request with this key is running or was settled in the last 24 hours: then its outcome counts.
   * Work that failed is forgotten, except with VB_CALL_UNCERTAIN: what may have been done must not be done again.
   * @param key undefined when the request may be repeated freely
   * @param fingerprint the same for the same request
   * @throws VoicebotError VB_REQUEST_CONFLICT when the key belongs to another request, VB_DIAL_LIMIT when too many run;
   *   in a cluster VB_CLUSTER_UNREACHABLE, and VB_CALL_UNCERTAIN when another runner has begun and nothing more is heard of it;
   *   what `work` throws
   */
  run(key: string | undefined, fingerprint: string, work: () => Promise<T>): Promise<T>;
  /** Lets go of what it shares with other runners. */
  close(): Promise<void>;
}

/** The key was sent with another request. */
export const requestConflict = (): VoicebotError =>
  new VoicebotError('VB_REQUEST_CONFLICT', 'a different request was sent with this Idempotency-Key', {
    hint: 'use a new key for every new request, and the same only to repeat one',
  });

/** Nothing is forgotten that still runs. */
export const tooManyRequests = (): DialLimitError =>
  new DialLimitError(`${MAX_KEYS} requests are running`, 'wait for their answers');

/** Those of one runner. */
export class IdempotentRequests<T> implements RequestsOnce<T> {
  readonly #running = new Map<string, Remembered<T>>();
  /** Oldest first. */
  readonly #settled = new Map<string, Remembered<T>>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  run(key: string | undefined, fingerprint: string, work: () => Promise<T>): Promise<T> {
    return key === undefined ? work() : this.#once(key, fingerprint, work);
  }

  async close(): Promise<void> {}

  async #once(key: string, fingerprint: string, work: () => Promise<T>): Promise<T> {
    this.#forget();
    const known = this.#running.get(key) ?? this.#settled.get(key);
    if (known?.fingerprint === fingerprint) return known.outcome;
    if (known) throw requestConflict();
    this.#makeRoom();
    const request: Remembered<T> = { fingerprint, outcome: work() };
    this.#running.set(key, request);
    const keep = () => {
      request.settledAt = this.now();
      this.#settled.set(key, request);
    };
    try {
      const result = await request.outcome;
      keep();
      return result;
    } catch (error) {
      if (error instanceof VoicebotError && error.code === 'VB_CALL_UNCERTAIN') keep();
      throw error;
    } finally {
      this.#running.delete(key);
    }
  }

  #forget(): void {
    for (const [key, { settledAt = 0 }] of this.#settled) {
      if (settledAt + REMEMBERED_MS > this.now()) break;
      this.#settled.delete(key);
    }
  }

  #makeRoom(): void {
    if (this.#running.size + this.#settled.size < MAX_KEYS) return;
    const [oldest] = this.#settled.keys();
    if (oldest === undefined) throw tooManyRequests();
    this.#settled.delete(oldest);
  }
}
