import type { Micros } from '../../base/money.js';
import type { CallId } from '../../call/call-id.js';

const MINUTE_MS = 60_000;
/** Most calls that are kept; beyond, the oldest that are over go, and are missing should Redis lose them too. */
const MAX_KEPT = 100_000;

/** A call that this runner was admitted for, or has taken over. */
export interface AdmittedCall {
  readonly callId: CallId;
  /** Names the number and does not tell it; undefined for a call of which another runner did not tell it. */
  readonly number: string | undefined;
  /** When it was admitted, or taken over where that is not known, by the clock that {@link AdmittedCalls} goes by. */
  readonly at: number;
  /** It is not over. */
  isLive: boolean;
  /** The day that its minutes and its money count for, from 1970 on; undefined where neither is counted. */
  readonly day: number | undefined;
  /** The minutes that are kept for it; once it is over, those it took. */
  minutes: number;
  /** What is kept for it of the day's money, in millionths; once that is known, what it has cost. */
  micros: Micros;
}

export interface OwnAdmissionsOptions {
  /** Milliseconds from one call to a number to the next to the same. */
  readonly spacingMs: number;
  /** After so many milliseconds a call is over, whether or not anybody has said so. */
  readonly slotMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** What a call still counts for. */
export interface Remaining {
  readonly ageMs: number;
  /** Until it is over; 0 when it is. */
  readonly slotMs: number;
  /** Until its number may be called again; 0 when it may. */
  readonly numberMs: number;
}

/** What one runner knows of the calls that count against the limits: enough to write it again for a Redis that has lost it. */
export class AdmittedCalls {
  /** Oldest first. */
  readonly #calls = new Map<CallId, AdmittedCall>();
  #today = 0;

  constructor(private readonly options: OwnAdmissionsOptions) {}

  /** @param ageMs milliseconds since it was admitted */
  add(callId: CallId, admitted: Pick<AdmittedCall, 'number' | 'day' | 'minutes' | 'micros'>, ageMs = 0): AdmittedCall {
    const call: AdmittedCall = { callId, at: this.options.now() - ageMs, isLive: true, ...admitted };
    this.#today = Math.max(this.#today, call.day ?? 0);
    this.#forget();
    this.#calls.set(callId, call);
    return call;
  }

  get(callId: CallId): AdmittedCall | undefined {
    return this.#calls.get(callId);
  }

  /** It was never placed, or is another runner's. */
  delete(callId: CallId): void {
    this.#calls.delete(callId);
  }

  /** All that still count for something. */
  list(): AdmittedCall[] {
    this.#forget();
    return [...this.#calls.values()].filter((call) => this.#counts(call));
  }

  /** Whole milliseconds since it was admitted. */
  ageOf({ at }: AdmittedCall): number {
    return Math.floor(this.options.now() - at);
  }

  remainingOf(call: AdmittedCall): Remaining {
    const { spacingMs, slotMs } = this.options;
    const { number, isLive } = call;
    const ageMs = this.ageOf(call);
    return {
      ageMs: number === undefined ? Number.MAX_SAFE_INTEGER : ageMs,
      slotMs: isLive ? Math.max(0, slotMs - ageMs) : 0,
      numberMs: number === undefined ? 0 : Math.max(0, spacingMs - ageMs),
    };
  }

  #counts(call: AdmittedCall): boolean {
    const { ageMs, slotMs, numberMs } = this.remainingOf(call);
    // a call of yesterday may have gone on until a moment ago
    const isOfThisDay = call.day !== undefined && call.day >= this.#today - 1;
    return slotMs > 0 || numberMs > 0 || ageMs < MINUTE_MS || isOfThisDay;
  }

  /** Drops the oldest that count for nothing; those behind one that does wait until it does not. */
  #forget(): void {
    for (const [callId, call] of this.#calls) {
      const isFull = this.#calls.size > MAX_KEPT;
      if (!isFull && this.#counts(call)) return;
      if (!isFull || this.remainingOf(call).slotMs === 0) this.#calls.delete(callId);
    }
  }
}
