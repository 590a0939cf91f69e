import { DayLedger } from './day-ledger.js';

const MINUTE_MS = 60_000;

export interface DialledMinutesOptions {
  /** Absolute path of a folder for nothing else; the runners that share it share the limit. */
  directory: string;
  /** Minutes in one day, 1 or more. */
  perDay: number;
  /** The longest that one call may last, in whole minutes; not above `perDay`. */
  perCall: number;
  /** Wall clock of this machine, whose midnight begins a day. Default: the system's. */
  now?: () => Date;
}

/** Minutes kept for a call, until it is known how many it took. */
export interface KeptMinutes {
  /** @param talkedMs from the answer to the end, in milliseconds; every minute that was begun counts. 0: it was not answered */
  settle(talkedMs: number): void;
}

/** What stands in the way of one more call. */
export interface MinutesUsed {
  /** Of calls that are over, and those kept for calls that go on. */
  readonly minutes: number;
  /** As of the ledger. */
  readonly retryAfterS: number;
}

/** Counts the minutes of dialled calls of a day. @see DayLedger */
export class DialledMinutes {
  readonly perDay: number;
  readonly perCall: number;
  readonly #ledger: DayLedger;

  constructor({ directory, perDay, perCall, now }: DialledMinutesOptions) {
    this.perDay = perDay;
    this.perCall = perCall;
    this.#ledger = new DayLedger({ directory, field: 'minutes', perDay, now });
  }

  /**
   * Keeps the minutes of one call.
   * @throws the system's error when nothing can be written: then nothing may be dialled
   */
  keep(): KeptMinutes | MinutesUsed {
    const kept = this.#ledger.keep(this.perCall);
    if ('used' in kept) return { minutes: kept.used, retryAfterS: kept.retryAfterS };
    return { settle: (talkedMs) => kept.settle(Math.ceil(talkedMs / MINUTE_MS)) };
  }
}
