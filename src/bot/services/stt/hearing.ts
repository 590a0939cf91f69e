import type { ProviderError } from '../../../base/provider-error.js';
import type { Ear, EarSource } from './ear.js';

/** A connection that was held this long works, in milliseconds. */
const PROOF_MS = 1_000;
/** Ears that answer silence do so about once a second: after so long, in milliseconds, they are late. */
const QUIET_MS = 1_250;
/** They are late after so many times the longest they have taken, which may be up to this, in milliseconds. */
const LATE_FACTOR = 1.3;
const LONGEST_QUIET_MS = 3_000;

/** One of the ears that listen in a call: what is known of how it works. */
export class Hearing {
  ear: Ear | undefined;
  isOver = false;
  lastError: ProviderError | undefined;
  /** What is held against it while others listen beside it. */
  suspicion: string | undefined;
  /** How much of the call's audio it is done with, in bytes. */
  doneUntil: number;
  /** Undefined where it does not tell. */
  isConnected: boolean | undefined;
  #openedAt = performance.now();
  /** It has told something since it was connected. */
  #hasTold = false;
  /** There is no connection that works since then. */
  #downSince: number | undefined;
  /** Audio since it last told something, in milliseconds, and when that began. */
  #unansweredMs = 0;
  #quietSince = 0;
  #longestQuietMs = 0;
  /** It has told something at all. */
  #hasEverTold = false;

  /** @param origin where its audio begins in that of the call, in bytes */
  constructor(
    readonly source: EarSource,
    readonly origin: number,
    private readonly sampleRate: number,
  ) {
    this.doneUntil = origin;
  }

  /** Whether it has a connection that works: it has told something on it, or was held for a while. */
  get works(): boolean {
    if (this.isOver || this.isConnected === false) return false;
    return this.#hasTold || performance.now() - this.#openedAt >= PROOF_MS;
  }

  /** When the connection that worked last was lost, monotonic milliseconds. */
  get downSince(): number | undefined {
    return this.#downSince;
  }

  /** For how long it owes an answer to what it hears, beyond what it takes at most, in milliseconds; negative: that is to come. */
  get lateMs(): number {
    if (!this.source.answersSilence || !this.#hasEverTold || !this.isConnected) return Number.NEGATIVE_INFINITY;
    return this.#quietMs - Math.max(QUIET_MS, LATE_FACTOR * this.#longestQuietMs);
  }

  get #quietMs(): number {
    return this.#unansweredMs === 0 ? 0 : Math.min(this.#unansweredMs, performance.now() - this.#quietSince);
  }

  connected(isConnected: boolean, error?: ProviderError): void {
    if (!isConnected) {
      if (this.#downSince === undefined || this.works) this.#downSince = performance.now();
      this.lastError = error ?? this.lastError;
    } else this.#openedAt = performance.now();
    this.isConnected = isConnected;
    this.#hasTold = false;
    this.#unansweredMs = 0;
  }

  write(pcm: Int16Array): void {
    if (this.#unansweredMs === 0) this.#quietSince = performance.now();
    this.#unansweredMs += (pcm.length * 1_000) / this.sampleRate;
    this.ear?.write(pcm);
  }

  /** It has told something. @param until how much of the call's audio it is done with, in bytes */
  told(until = this.doneUntil): void {
    if (this.#hasTold) {
      this.#longestQuietMs = Math.min(LONGEST_QUIET_MS, Math.max(this.#longestQuietMs, this.#quietMs));
    }
    this.#hasEverTold = true;
    this.#hasTold = true;
    this.#unansweredMs = 0;
    this.#downSince = undefined;
    this.doneUntil = Math.max(this.doneUntil, until);
  }

  close(): void {
    this.isOver = true;
    this.ear?.close();
  }
}
