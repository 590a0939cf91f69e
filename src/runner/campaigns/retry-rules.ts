import { END_REASONS } from '../../call/call.js';
import type { CampaignOutcome } from '../../call/campaign-progress.js';

/** How often, and after which pause, a row is called again after one outcome. */
export interface RetryRule {
  /** Milliseconds. */
  readonly pauseMs: number;
  /** Further attempts of one row after this outcome. */
  readonly times: number;
}

export type RetryRules = Readonly<Partial<Record<CampaignOutcome, RetryRule>>>;

/** Outcomes that a rule may name. */
const RETRIABLE: readonly CampaignOutcome[] = [...END_REASONS, 'failed', 'uncertain'];
/** Further attempts that one rule may ask for. */
const MOST_TIMES = 20;
const LONGEST_PAUSE_MS = 30 * 24 * 60 * 60 * 1_000;
/** After these a bot has crashed, or there was none: so many of them, and its row is set aside whatever the rules say. */
const CRASHES: readonly CampaignOutcome[] = ['bot_crashed', 'no_bot'];
const MOST_CRASHES = 3;

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads `busy:5m,no_answer:1h:3`: after a busy line once more in five minutes, after no answer up to three times in an hour each.
 * Pauses are `30s`, `5m`, `1h`, `1d`, at most 30 days.
 * @throws Error saying what is wrong
 */
export function parseRetryRules(text: string): RetryRules {
  const rules: Partial<Record<CampaignOutcome, RetryRule>> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, name = '', count = '', unit = '', times = '1'] =
      /^(\w+):(\d{1,6})([smhd])(?::(\d{1,3}))?$/.exec(part) ?? [];
    if (name === '')
      throw new Error(`"${part.slice(0, 40)}" must be outcome:pause or outcome:pause:times, such as no_answer:1h:3`);
    const outcome = RETRIABLE.find((known) => known === name);
    if (!outcome) throw new Error(`"${name.slice(0, 40)}" is no outcome; these are: ${RETRIABLE.join(', ')}`);
    if (rules[outcome]) throw new Error(`${outcome} is there twice`);
    const pauseMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
    if (pauseMs < 1_000 || pauseMs > LONGEST_PAUSE_MS) throw new Error(`${part}: a pause is between 1s and 30d`);
    if (Number(times) < 1 || Number(times) > MOST_TIMES) throw new Error(`${part}: between 1 and ${MOST_TIMES} times`);
    rules[outcome] = { pauseMs, times: Number(times) };
  }
  return rules;
}

/**
 * The pause before the next attempt, in milliseconds; undefined when there is none.
 * @param outcomes of the attempts of this row so far, oldest first
 */
export function pauseBeforeRetry(rules: RetryRules, outcomes: readonly CampaignOutcome[]): number | undefined {
  const last = outcomes.at(-1);
  const rule = last && rules[last];
  if (!rule || isSetAside(outcomes)) return undefined;
  return outcomes.filter((outcome) => outcome === last).length <= rule.times ? rule.pauseMs : undefined;
}

/** Whether the bot has failed for this row so often that the row itself may be what breaks it. */
export const isSetAside = (outcomes: readonly CampaignOutcome[]): boolean =>
  outcomes.filter((outcome) => CRASHES.includes(outcome)).length >= MOST_CRASHES;
