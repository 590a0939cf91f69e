import { randomUUID } from 'node:crypto';
import { DayFiles } from '../../base/process/day-files.js';
import { localDay } from '../../base/process/local-day.js';

const MINUTE_MS = 60_000;
/** Files of earlier days that stay: calls dialled before midnight end after it. */
const KEPT_DAYS = 2;

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
  /** Whole seconds until midnight. */
  readonly retryAfterS: number;
}

/**
 * Counts the minutes of dialled calls of a day, on disk, so that neither a restart nor a crash begins anew. A call keeps as
 * many minutes as it may last; what it did not take is free again when it ends. What a runner that was killed had kept stays
 * so for the day. Of the lines of a call the last counts.
 */
export class DialledMinutes {
  readonly perDay: number;
  readonly perCall: number;
  readonly #files: DayFiles;
  readonly #now: () => Date;

  constructor({ directory, perDay, perCall, now = () => new Date() }: DialledMinutesOptions) {
    this.perDay = perDay;
    this.perCall = perCall;
    this.#files = new DayFiles(directory, '.jsonl');
    this.#now = now;
  }

  /**
   * Keeps the minutes of one call.
   * @throws the system's error when nothing can be written: then nothing may be dialled
   */
  keep(): KeptMinutes | MinutesUsed {
    const now = this.#now();
    const today = localDay(now);
    const id = randomUUID();
    const write = (minutes: number) => this.#files.add(today, JSON.stringify({ id, minutes }));
    write(this.perCall); // before the others are counted: of two runners at the same moment each sees both
    const minutes = sumOf(this.#files.lines(today));
    if (minutes > this.perDay) {
      write(0);
      return { minutes: minutes - this.perCall, retryAfterS: secondsToMidnight(now) };
    }
    this.#removeEarlier(now);
    let isSettled = false;
    return {
      settle: (talkedMs) => {
        if (isSettled) return;
        isSettled = true;
        try {
          write(Math.ceil(talkedMs / MINUTE_MS));
        } catch {
          // The whole of what was kept counts then, which is never too little.
        }
      },
    };
  }

  #removeEarlier(now: Date): void {
    const oldest = new Date(now);
    oldest.setDate(oldest.getDate() - KEPT_DAYS);
    this.#files.removeBefore(localDay(oldest));
  }
}

/** A line that was cut off by a crash counts for nothing: its call was not dialled yet. */
function sumOf(lines: readonly string[]): number {
  const minutes = new Map<string, number>();
  for (const line of lines) {
    try {
      const entry = JSON.parse(line);
      if (Number.isFinite(entry.minutes) && entry.minutes >= 0) minutes.set(entry.id, entry.minutes);
    } catch {}
  }
  return [...minutes.values()].reduce((sum, some) => sum + some, 0);
}

function secondsToMidnight(now: Date): number {
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  return Math.ceil((midnight.getTime() - now.getTime()) / 1_000);
}
