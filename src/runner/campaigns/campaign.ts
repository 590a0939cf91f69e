import { sumOfCosts } from '../../call/call-cost.js';
import type { CampaignOutcome, SpentOnRow } from '../../call/campaign-progress.js';
import type { ZonedNumber } from '../dialing/callee-zones.js';
import type { CallingHours } from '../dialing/calling-hours.js';
import type { RetryRules } from './retry-rules.js';

/** A person to call; plain JSON. */
export interface Contact extends ZonedNumber {
  /** What the owner of the list calls this row. */
  readonly id?: string | undefined;
  /** Custom data for the bot. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a campaign is, which never changes; plain JSON. */
export interface Campaign {
  readonly version: 1;
  /** `cmp_…`: letters, digits, `-` and `_`. */
  readonly id: string;
  readonly name: string;
  /** Equal for requests with the same meaning. */
  readonly fingerprint: string;
  /** Which bot calls, and from which number: a runner alone takes up only campaigns of its own. */
  readonly serves: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Calls in a minute, evenly: at 30 one every two seconds. */
  readonly perMinute: number;
  /** Calls that are not over. */
  readonly atOnce: number;
  /** When callees may be called, beside the rules of their country. Default: at any time. */
  readonly hours?: CallingHours | undefined;
  readonly retries: RetryRules;
  /** Row 1 is the first. */
  readonly contacts: readonly Contact[];
}

/** From one call to the next, in milliseconds. */
export const spacingOf = ({ perMinute }: Pick<Campaign, 'perMinute'>): number => 60_000 / perMinute;

/** One call of a row. */
export interface AttemptId {
  /** Of the campaign. */
  readonly campaign: string;
  /** From 1. */
  readonly row: number;
  /** From 1. */
  readonly attempt: number;
}

interface AttemptEntry {
  readonly row: number;
  readonly attempt: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * What has happened in a campaign, one after another. An attempt goes `placing -> placed -> ended`, each written down before what it
 * says is done; `undone` takes `placing` back, where it is certain that nothing was placed.
 */
export type CampaignEntry =
  | { readonly is: 'condition'; readonly at: number; readonly condition: 'running' | 'paused' | 'cancelled' }
  | (AttemptEntry & { readonly is: 'placing'; readonly callId: string; readonly runner: string })
  | (AttemptEntry & { readonly is: 'placed'; readonly callId: string; readonly runner: string })
  | (AttemptEntry & { readonly is: 'undone' })
  | EndedEntry;

/** An attempt is over. */
export interface EndedEntry extends AttemptEntry {
  readonly is: 'ended';
  readonly callId: string;
  readonly outcome: CampaignOutcome;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** When the call was over, by the clock that `startedAt` is of; undefined where nothing was heard of its end, and in older files. */
  readonly endedAt?: number | undefined;
  /** From the answer to the end, in milliseconds. */
  readonly talkedMs: number;
  /** What the call has cost; undefined where calls are not priced. */
  readonly cost?: SpentOnRow | undefined;
  /** When the callee had heard that a machine calls, milliseconds since the Unix epoch; undefined where they have not. */
  readonly disclosedAt?: number | undefined;
  /** Why a request was refused, for people. */
  readonly problem?: string | undefined;
  /** When the row is called again, at the earliest; undefined when it is not. */
  readonly nextAt?: number | undefined;
}

/** What several calls of one row have cost; undefined where none has a cost. */
export function costOfRow(costs: readonly (SpentOnRow | undefined)[]): SpentOnRow | undefined {
  const sum = sumOfCosts(costs);
  if (!sum) return undefined;
  const { calls: _, ...cost } = sum;
  return cost;
}
