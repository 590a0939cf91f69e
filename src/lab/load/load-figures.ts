import { percentileOf } from '../../base/percentile.js';

/**
 * What becomes of a call of a load. `done`: it lasted as long as it was to last, or a scenario ended it; `turned_away`: no bot took it;
 * `ended_early`: the bot ended it before; `failed`: its stream broke, or could not be opened.
 */
export type LoadOutcome = 'live' | 'done' | 'turned_away' | 'ended_early' | 'failed';

/** What the caller has noticed of one call. Times are milliseconds. */
export interface LoadCall {
  /** From 1, in the order in which they dialled. */
  readonly no: number;
  /** When it was dialled, since the load began. */
  readonly dialledMs: number;
  /** From dialling until its media stream is open. */
  readonly setUpMs: number | undefined;
  /** From the answer to the first sound of the bot. */
  readonly firstWordMs: number | undefined;
  /** From the end of each thing that the caller said to the bot's answer. */
  readonly answersMs: readonly number[];
  /** How much sound of the bot the caller heard. */
  readonly heardMs: number;
  /** How much was missing in the middle of it: the caller heard nothing while the bot spoke. */
  readonly missingMs: number;
  /** The longest stretch of that; 0 where nothing was missing. */
  readonly longestGapMs: number;
  readonly outcome: LoadOutcome;
  /** Why it is not done, for people. */
  readonly why: string | undefined;
}

/** How values lie; undefined in {@link LoadFigures} where there are none. */
export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** All calls of a load together. Times are milliseconds. */
export interface LoadFigures {
  readonly calls: number;
  readonly outcomes: Readonly<Record<LoadOutcome, number>>;
  readonly setUpMs: Spread | undefined;
  readonly firstWordMs: Spread | undefined;
  /** Calls with an open stream in which the bot was not heard. */
  readonly unheard: number;
  readonly answersMs: Spread | undefined;
  /** Of the calls in which a bot was heard, the longest of each. */
  readonly gapMs: Spread | undefined;
  /** Of what the bots said, missing in the middle, in per cent; undefined where nothing was heard. */
  readonly missingPercent: number | undefined;
  /** Why calls were not done, with how many, the most frequent first. */
  readonly reasons: ReadonlyArray<{ readonly why: string; readonly calls: number }>;
}

export function figuresOf(calls: readonly LoadCall[]): LoadFigures {
  const outcomes = { live: 0, done: 0, turned_away: 0, ended_early: 0, failed: 0 };
  const reasons = new Map<string, number>();
  for (const { outcome, why } of calls) {
    outcomes[outcome] += 1;
    if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const heard = calls.filter(({ heardMs }) => heardMs > 0);
  const missingMs = total(heard.map((call) => call.missingMs));
  const spokenMs = total(heard.map((call) => call.heardMs)) + missingMs;
  return {
    calls: calls.length,
    outcomes,
    setUpMs: spreadOf(calls.flatMap(({ setUpMs }) => setUpMs ?? [])),
    firstWordMs: spreadOf(calls.flatMap(({ firstWordMs }) => firstWordMs ?? [])),
    unheard: calls.filter(({ setUpMs, firstWordMs }) => setUpMs !== undefined && firstWordMs === undefined).length,
    answersMs: spreadOf(calls.flatMap(({ answersMs }) => answersMs)),
    gapMs: spreadOf(heard.map(({ longestGapMs }) => longestGapMs)),
    missingPercent: spokenMs === 0 ? undefined : (100 * missingMs) / spokenMs,
    reasons: [...reasons].map(([why, count]) => ({ why, calls: count })).sort((a, b) => b.calls - a.calls),
  };
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const at = (share: number) => percentileOf(values, share) as number;
  return { count: values.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
