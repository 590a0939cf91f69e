import { randomUUID } from 'node:crypto';
import { DayFiles } from '../../base/process/day-files.js';
import { localDay } from '../../base/process/local-day.js';

/** When a call that goes on may be over, which has kept what is missing, in seconds: most take a small part of what is kept. */
export const KEPT_WAIT_S = 15;
/** Files of earlier days that stay: calls dialled before midnight end after it. */
const KEPT_DAYS = 2;

export interface DayLedgerOptions {
  /** Absolute path of a folder for nothing else; the runners that share it share the limit. */
  readonly directory: string;
  /** What is counted, as the lines of the files name it. */
  readonly field: 'minutes' | 'micros';
  /** In one day. */
  readonly perDay: number;
  /** Wall clock of this machine, whose midnight begins a day. Default: the system's. */
  readonly now?: (() => Date) | undefined;
}

/** A line of a file: the last one of a call counts. */
export interface LedgerLine extends Partial<Record<DayLedgerOptions['field'], number>> {
  /** Of the call, here only. */
  readonly id: string;
  /** As much as the call may take, until it is known how much it took. */
  readonly isKept?: true;
}

/** Something kept for a call, until it is known how much it took. */
export interface KeptAmount {
  /** What it took, which may be more than was kept. Done again it does nothing. */
  settle(amount: number): void;
}

/** What stands in the way of one more call. */
export interface UsedAmount {
  /** Of calls that are over, and what is kept for calls that go on. */
  readonly used: number;
  /** Whole seconds until midnight; where a call that goes on may give back enough, until it may have. */
  readonly retryAfterS: number;
}

/**
 * Counts what the dialled calls of a day take, on disk, so that neither a restart nor a crash begins anew. A call keeps as much as it may
 * take; what it did not take is free again when it ends. What a runner that was killed had kept stays so for the day. Of the lines
 * of a call the last counts.
 */
export class DayLedger {
  readonly #files: DayFiles;
  readonly #now: () => Date;

  constructor(private readonly options: DayLedgerOptions) {
    const { directory, now = () => new Date() } = options;
    this.#files = new DayFiles(directory, '.jsonl');
    this.#now = now;
  }

  /**
   * Keeps as much as one call may take.
   * @throws the system's error when nothing can be written: then nothing may be dialled
   */
  keep(most: number): KeptAmount | UsedAmount {
    const { field, perDay } = this.options;
    const now = this.#now();
    const today = localDay(now);
    const id = randomUUID();
    const write = (amount: number, isKept = false) =>
      this.#files.add(today, JSON.stringify({ id, [field]: amount, ...(isKept && { isKept }) } satisfies LedgerLine));
    write(most, true); // before the others are counted: of two runners at the same moment each sees both
    const { used, taken } = sumOf(this.#files.lines(today), field);
    if (used > perDay) {
      write(0);
      const midnightS = secondsToMidnight(now);
      return { used: used - most, retryAfterS: taken + most > perDay ? midnightS : Math.min(KEPT_WAIT_S, midnightS) };
    }
    this.#removeEarlier(now);
    let isSettled = false;
    return {
      settle: (amount) => {
        if (isSettled) return;
        isSettled = true;
        try {
          write(amount);
        } catch {
          // The whole of what was kept counts then.
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

/**
 * A line that was cut off by a crash counts for nothing: its call was not dialled yet.
 * @returns `taken`: of it by calls that are over; the rest is kept
 */
function sumOf(lines: readonly string[], field: DayLedgerOptions['field']): { used: number; taken: number } {
  const amounts = new Map<string, { amount: number; isKept: boolean }>();
  for (const line of lines) {
    try {
      const entry = JSON.parse(line);
      const amount = entry[field];
      if (Number.isFinite(amount) && amount >= 0) amounts.set(entry.id, { amount, isKept: entry.isKept === true });
    } catch {}
  }
  let [used, taken] = [0, 0];
  for (const { amount, isKept } of amounts.values()) {
    used += amount;
    if (!isKept) taken += amount;
  }
  return { used, taken };
}

function secondsToMidnight(now: Date): number {
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  return Math.ceil((midnight.getTime() - now.getTime()) / 1_000);
}
