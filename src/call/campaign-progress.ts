import type { EndReason } from './call.js';
import type { CallCost, CostSum } from './call-cost.js';

/** A campaign dials while it is `running`; `cancelled` and `done` are final. */
export type CampaignCondition = 'running' | 'paused' | 'cancelled' | 'done';

/**
 * What came of one attempt: why its call ended, or `failed` when the request to dial was refused, or `do_not_call` when that was because
 * the number is on the do-not-call list, or `uncertain` when the runner cannot tell whether the phone rang.
 */
export type CampaignOutcome = EndReason | 'failed' | 'do_not_call' | 'uncertain';

/** How far a campaign has come; plain JSON. Times are milliseconds since the Unix epoch. */
export interface CampaignProgress {
  readonly id: string;
  /** What its owner calls it, such as the name of the file. */
  readonly name: string;
  readonly condition: CampaignCondition;
  readonly createdAt: number;
  /** When the last row was over; undefined before. */
  readonly endedAt?: number;
  readonly rows: number;
  /** Rows of which no further call follows. */
  readonly done: number;
  /** Rows that are being called: dialling, ringing or talking. */
  readonly running: number;
  /** Rows that wait: for their first call, for their calling hours, or for the pause before another attempt. */
  readonly waiting: number;
  /** When the next row may be called, where all that wait have to; undefined while a row may be called now. */
  readonly waitingUntil?: number;
  /** What that row waits for, for people, where it is the hour of the day: such as `calling hours of FR`. */
  readonly waitingFor?: string;
  /** The last outcome of each row that is done. */
  readonly outcomes: Readonly<Partial<Record<CampaignOutcome, number>>>;
  /** Rows of `done` that were not worked off as they should: refused, uncertain, or broken off by a fault. */
  readonly faults: number;
  /** Calls dialled in the last minute. */
  readonly dialledPerMinute: number;
  readonly perMinute: number;
  readonly atOnce: number;
  /**
   * When it is over if calls go on to take as long as so far and no further row has to be called again; not before the last row that
   * waits is due. Undefined while nothing can be said.
   */
  readonly expectedEndAt?: number;
  /** What its calls that are over have cost, by the user's prices; undefined where there are none. */
  readonly cost?: CostSum;
  /** What keeps this runner from dialling at the moment, for people. */
  readonly problem?: string;
}

/** What came of one row; plain JSON. */
export interface CampaignResult {
  /** From 1, in the order of the contacts. */
  readonly row: number;
  /** As the owner named the row. */
  readonly id?: string;
  /** E.164. */
  readonly phoneNumber: string;
  /** Of the last attempt that ended; undefined when none has, as in a cancelled campaign. */
  readonly outcome?: CampaignOutcome;
  /** Calls dialled, or refused. */
  readonly attempts: number;
  readonly callId?: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt?: number;
  /** From the answer to the end, in milliseconds. */
  readonly talkedMs?: number;
  /** What all its calls have cost; undefined where calls are not priced. */
  readonly cost?: SpentOnRow;
  /** When the callee had heard that a machine calls, milliseconds since the Unix epoch; undefined where they have not. */
  readonly disclosedAt?: number;
  /** Why a request to dial was refused, for people. */
  readonly problem?: string;
}

/** What the calls of one row have cost. */
export type SpentOnRow = Omit<CallCost, 'parts'>;

/** How a campaign can be told to go on. */
export const CAMPAIGN_ORDERS = ['pause', 'resume', 'cancel'] as const;
export type CampaignOrder = (typeof CAMPAIGN_ORDERS)[number];

/** How many rows wait for their time, for people. */
export const waitWords = (waiting: number): string => `${waiting} ${waiting === 1 ? 'waits' : 'wait'} to be called`;
