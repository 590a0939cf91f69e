import { findLargest, type TriedNumber } from './find-largest.js';
import type { JudgedLimit } from './load-limits.js';
import type { LoadOutcomeReport } from './load-outcome.js';

/**
 * Of which calls a search finds the largest number. `burst`: all dial within one second; `steady`: each dials as soon as a bot waits,
 * and then all go on at the same time.
 */
export type SearchKind = 'burst' | 'steady';

/** What a search tries first, where nothing is known yet. */
const FIRST = 16;
/** Between the largest number that is fine and the smallest that is not, as a share: one measurement says no more. */
const PRECISION = 0.05;
/** A figure so many times its limit is far off. */
const FAR_OFF = 1.5;
/** Calls that went wrong, above their limit, that are far too many, in per cent. */
const FAR_OFF_PERCENT = 10;

/** A number of calls that was tried, and how it went. */
export interface TriedCalls {
  readonly calls: number;
  readonly outcome: LoadOutcomeReport;
}

/** What is known of a number that is searched. */
export class SearchedNumber {
  /** The largest that was fine. */
  fine: TriedCalls | undefined;
  /** Those that were not, also such as were fine when they were tried again. */
  readonly failed: TriedCalls[] = [];
  /** The search is complete. */
  isFound = false;
  /** More were not tried because no more may go on. */
  isBounded = false;

  constructor(readonly kind: SearchKind) {}

  /** 0: none was fine so far. */
  get calls(): number {
    return this.fine?.calls ?? 0;
  }

  /** The smallest that was not fine, above the one that was. */
  get tooMany(): TriedCalls | undefined {
    return this.failed.toSorted((one, other) => one.calls - other.calls).find(({ calls }) => calls > this.calls);
  }

  /** Whether the most that is tried was fine. */
  get isAll(): boolean {
    return this.isFound && this.tooMany === undefined;
  }
}

/** Both numbers of a search. */
export interface SearchedNumbers {
  readonly steady: SearchedNumber;
  readonly burst: SearchedNumber;
}

/**
 * Finds how many calls may go on, and then how many of those may come at once.
 * @param numbers filled in as it goes, so that a search that is stopped has told what it knows
 * @param tryCalls throws to end the search
 */
export async function searchNumbers(
  most: number,
  { steady, burst }: SearchedNumbers,
  tryCalls: (kind: SearchKind, calls: number) => Promise<LoadOutcomeReport>,
): Promise<void> {
  await search(steady, most, tryCalls);
  burst.isBounded = !steady.isAll;
  if (steady.calls > 0) await search(burst, steady.calls, tryCalls);
}

async function search(
  number: SearchedNumber,
  most: number,
  tryCalls: (kind: SearchKind, calls: number) => Promise<LoadOutcomeReport>,
): Promise<void> {
  await findLargest({ first: FIRST, most, precision: PRECISION }, async (calls) => {
    const outcome = await tryCalls(number.kind, calls);
    const went = judged(outcome.limits);
    if (went === 'fine') number.fine = { calls, outcome };
    else number.failed.push({ calls, outcome });
    return went;
  });
  number.isFound = true;
}

function judged(limits: readonly JudgedLimit[]): TriedNumber {
  const broken = limits.filter(({ isMet }) => !isMet);
  if (broken.length === 0) return 'fine';
  return broken.some(isFarOff) ? 'far_too_many' : 'too_many';
}

function isFarOff({ name, limit, value }: JudgedLimit): boolean {
  if (value === undefined) return false;
  return name === 'failedPercent' ? value >= limit + FAR_OFF_PERCENT : value > FAR_OFF * limit;
}
