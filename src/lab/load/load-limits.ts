import type { LoadFigures } from './load-figures.js';

/** What must hold for a number of calls to be called fine. */
export interface LoadLimits {
  /** Of the first word after the answer, for 95 of 100 calls, in milliseconds. */
  readonly firstWordMs: number;
  /** Of the longest gap in the bot's sound, for 95 of 100 calls, in milliseconds. */
  readonly gapMs: number;
  /** Of the bot's sound that is missing, in per cent. */
  readonly missingPercent: number;
  /** Of calls that failed, were turned away or ended early, in per cent. */
  readonly failedPercent: number;
}

export const DEFAULT_LIMITS: LoadLimits = { firstWordMs: 2_000, gapMs: 200, missingPercent: 0.5, failedPercent: 0 };

/** A limit, what it was held against, and whether it holds. */
export interface JudgedLimit {
  readonly name: keyof LoadLimits;
  readonly limit: number;
  /** Undefined where nothing of the kind was measured. */
  readonly value: number | undefined;
  readonly isMet: boolean;
}

/** Of 100 calls, those that need not meet a limit. */
export const LEFT_OUT_PERCENT = 5;

/** Holds figures against limits. A bot that more than 5 of 100 callers have not heard breaks the one of the first word. */
export function judge(figures: LoadFigures, limits: LoadLimits): JudgedLimit[] {
  const { calls, outcomes, firstWordMs, unheard, gapMs, missingPercent } = figures;
  const isHeard = firstWordMs !== undefined && 100 * unheard <= LEFT_OUT_PERCENT * (firstWordMs.count + unheard);
  const isLate = firstWordMs !== undefined && firstWordMs.p95 > limits.firstWordMs;
  const failed = outcomes.failed + outcomes.turned_away + outcomes.ended_early;
  const values: Readonly<Record<keyof LoadLimits, number | undefined>> = {
    firstWordMs: isHeard || isLate ? firstWordMs?.p95 : undefined,
    gapMs: gapMs?.p95,
    missingPercent,
    failedPercent: calls === 0 ? undefined : (100 * failed) / calls,
  };
  return (Object.keys(values) as Array<keyof LoadLimits>).map((name) => {
    const value = values[name];
    const limit = limits[name];
    return { name, limit, value, isMet: value === undefined ? name !== 'firstWordMs' : value <= limit };
  });
}
