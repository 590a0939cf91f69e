import { setMaxListeners } from 'node:events';
import { settlesWithin } from '../../base/async/deadline.js';
import { pause } from '../../base/async/pause.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { CallRecord } from '../../call/call-record.js';
import type { CampaignOutcome, SpentOnRow } from '../../call/campaign-progress.js';
import type { CalleeHours } from '../dialing/callee-hours.js';
import type { ZonedNumber } from '../dialing/callee-zones.js';
import type { CallOutcomes } from './call-outcomes.js';
import { type AttemptId, costOfRow } from './campaign.js';
import type { CampaignQueue } from './campaign-queue.js';
import type { CampaignState, RowState } from './campaign-state.js';
import { pauseBeforeRetry } from './retry-rules.js';

/** A call to place. */
export interface CampaignCall extends ZonedNumber {
  readonly callId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface AttemptRunnerOptions {
  readonly queue: CampaignQueue;
  /** Resolves when the provider has taken the call. @throws VoicebotError what `POST /start` answers with */
  readonly dial: (call: CampaignCall) => Promise<unknown>;
  readonly outcomes: CallOutcomes;
  /** When contacts may be called, beside the hours of their campaign. */
  readonly hours: CalleeHours;
  readonly newCallId: () => string;
  /**
   * So long after an attempt was begun by a runner that has died since, without any event of its call, it counts as uncertain, in
   * milliseconds.
   */
  readonly newsWithinMs: number;
  readonly logger: Logger;
}

/** The request was certainly not carried out, and for a reason that passes: nothing that the row can help. */
const WAITS: Partial<Record<ErrorCode, number>> = {
  VB_DIAL_LIMIT: 2_000,
  VB_OUTSIDE_CALLING_HOURS: 60_000,
  VB_RUNNER_STOPPING: 5_000,
  VB_CLUSTER_UNREACHABLE: 1_000,
  VB_TUNNEL_FAILED: 5_000,
  VB_CARRIER_UNREACHABLE: 15_000,
  VB_ROOMS_UNREACHABLE: 15_000,
  VB_BROWSER_FAILED: 15_000,
  VB_BOT_LOAD_FAILED: 15_000,
  VB_CREDENTIALS_REFUSED: 30_000,
  VB_CONFIG_INVALID: 30_000,
  VB_DO_NOT_CALL_DAMAGED: 30_000,
};
/** How long what has just happened may take to be written down, in milliseconds. */
const LAST_WORDS_MS = 300;
/** A wait for a place that is no longer is waited for at once; otherwise the attempt comes again. */
const SHORT_MS = 1_500;
/** Longest that this runner dials nothing because one call was refused for now, in milliseconds. */
const LONGEST_QUIET_MS = 15_000;

/** Places the calls of attempts, each at most once, and writes down what comes of them. */
export class AttemptRunner {
  readonly #running = new Map<string, Promise<void>>();
  /** Attempts that were put off, until when. */
  readonly #putOff = new Map<string, number>();
  readonly #closing = new AbortController();
  #quietUntil = 0;
  #problem: string | undefined;

  constructor(private readonly options: AttemptRunnerOptions) {
    setMaxListeners(0, this.#closing.signal); // every call that goes on listens
  }

  /** What keeps this runner from dialling at the moment, for people. */
  get problem(): string | undefined {
    return this.#quietUntil > this.options.queue.now() ? this.#problem : undefined;
  }

  /** Not before this is it worth while to offer an attempt to this runner; 0 when it may come at once. */
  notBefore(attempt: AttemptId): number {
    return Math.max(this.#quietUntil, this.#putOff.get(keyOf(attempt)) ?? 0);
  }

  /** What was put off is offered again: the clock by which it waited was put back. */
  forgetWaits(): void {
    this.#putOff.clear();
    this.#quietUntil = 0;
  }

  /** Does an attempt, or goes on with one whose runner has died; does nothing that a runner has done or is doing. */
  readonly handle = async (attempt: AttemptId): Promise<void> => {
    const key = keyOf(attempt);
    if (this.#running.has(key) || this.#closing.signal.aborted) return;
    const handled = this.#handle(attempt).catch((error: unknown) => {
      if (this.#closing.signal.aborted) return;
      this.options.logger.error('an attempt of a campaign failed', { ...attempt, error });
    });
    this.#running.set(key, handled);
    await handled;
    this.#running.delete(key);
  };

  /** Writes down how calls ended that have just ended, and lets go of those that go on. */
  async close(): Promise<void> {
    await settlesWithin(Promise.all(this.#running.values()), LAST_WORDS_MS);
    this.#closing.abort();
  }

  async #handle(attempt: AttemptId): Promise<void> {
    const { queue } = this.options;
    const state = queue.states.get(attempt.campaign);
    const row = state?.row(attempt.row);
    if (!state || !row || row.attempt !== attempt.attempt) return;
    if (row.is === 'waiting') await this.#place(state, attempt);
    else if (row.is !== 'done' && !queue.isAlive(row.runner ?? '')) await this.#takeUp(state, attempt, row);
  }

  async #place(state: CampaignState, attempt: AttemptId): Promise<void> {
    const { queue, newCallId, dial, hours, logger } = this.options;
    const { campaign } = state;
    const contact = campaign.contacts[attempt.row - 1];
    if (!contact || this.notBefore(attempt) > queue.now()) return;
    const mayBegin = () => {
      const now = queue.now();
      return hours.next(contact, now, campaign.hours) === now;
    };
    const callId = newCallId();
    if (!(await this.#begin(attempt, callId, mayBegin))) return;
    const startedAt = queue.now();
    const end = (outcome: CampaignOutcome, problem?: string) =>
      this.#end(state, attempt, { callId, outcome, startedAt, talkedMs: 0, problem });
    try {
      const { phoneNumber, timeZone, body } = contact;
      await dial({ callId, phoneNumber, timeZone, body });
    } catch (error) {
      const code = error instanceof VoicebotError ? error.code : undefined;
      if (code !== undefined && WAITS[code] !== undefined && !isForEver(error as RefusedForNow))
        return this.#undo(attempt, error as RefusedForNow);
      const isUncertain = code === undefined || code === 'VB_CALL_UNCERTAIN';
      if (code === undefined) logger.error('a call of a campaign failed', { callId, error });
      const refused = code === 'VB_DO_NOT_CALL' ? 'do_not_call' : 'failed';
      return end(isUncertain ? 'uncertain' : refused, (error as Error).message);
    }
    const runner = state.row(attempt.row)?.runner ?? '';
    await queue.write(campaign.id, { is: 'placed', ...rowOf(attempt), callId, runner, at: queue.now() });
    await this.#conclude(state, attempt, await this.options.outcomes.ended(callId, this.#closing.signal));
  }

  /** Whether this runner may place it. @param mayBegin asked again after each wait for a place */
  async #begin(attempt: AttemptId, callId: string, mayBegin: () => boolean): Promise<boolean> {
    const { queue } = this.options;
    while (mayBegin()) {
      const begun = await queue.begin(attempt, callId).catch((error: unknown) => {
        this.#hush(error as Error, WAITS.VB_CLUSTER_UNREACHABLE as number);
        return { is: 'refused' } as const;
      });
      if (begun.is === 'begun') return this.#putOff.delete(keyOf(attempt)) || true;
      if (begun.is === 'refused' || begun.ms > SHORT_MS) return false;
      await pause(begun.ms, this.#closing.signal);
    }
    return false;
  }

  /** It may come again, and counts for nothing. */
  async #undo(attempt: AttemptId, error: RefusedForNow): Promise<void> {
    const { queue } = this.options;
    const { retryAfterS, isOfNumber } = error;
    const waitMs = retryAfterS === undefined ? (WAITS[error.code] as number) : retryAfterS * 1_000;
    this.#putOff.set(keyOf(attempt), queue.now() + waitMs);
    if (!isOfNumber) this.#hush(error, Math.min(waitMs, LONGEST_QUIET_MS));
    await queue.write(attempt.campaign, { is: 'undone', ...rowOf(attempt), at: queue.now() });
  }

  /** The runner that began this has died: the call may have been placed, and is never placed again. */
  async #takeUp(state: CampaignState, attempt: AttemptId, row: RowState): Promise<void> {
    const { queue, outcomes, newsWithinMs } = this.options;
    const { callId = '' } = row;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.max(0, row.at + newsWithinMs - queue.now()));
    try {
      const record = await outcomes.ended(callId, AbortSignal.any([late.signal, this.#closing.signal]));
      return await this.#conclude(state, attempt, record);
    } catch (error) {
      if (!late.signal.aborted || this.#closing.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    if (await outcomes.find(callId)) {
      return this.#conclude(state, attempt, await outcomes.ended(callId, this.#closing.signal));
    }
    const problem = 'the runner that dialled it has died, and nothing was heard of the call';
    await this.#end(state, attempt, { callId, outcome: 'uncertain', startedAt: row.at, talkedMs: 0, problem });
  }

  async #conclude(state: CampaignState, attempt: AttemptId, record: CallRecord): Promise<void> {
    const { id: callId, startedAt, answeredAt, endedAt, endReason = 'telephony_error', disclosure } = record;
    const talkedMs = answeredAt === undefined ? 0 : (endedAt ?? startedAt) - answeredAt;
    const cost = costOfRow(await this.options.outcomes.costs(record, this.#closing.signal));
    const ended = { callId, outcome: endReason, startedAt, endedAt, talkedMs, disclosedAt: disclosure?.to };
    await this.#end(state, attempt, { ...ended, ...(cost && { cost }) });
  }

  async #end(state: CampaignState, attempt: AttemptId, ended: Ended): Promise<void> {
    const { queue } = this.options;
    const outcomes = [...state.outcomesOf(attempt.row), ended.outcome];
    const pauseMs = pauseBeforeRetry(state.campaign.retries, outcomes);
    const at = queue.now();
    const nextAt = pauseMs === undefined ? undefined : at + pauseMs;
    await queue.write(state.campaign.id, { is: 'ended', ...rowOf(attempt), ...ended, at, nextAt });
  }

  #hush({ message, hint, retryAfterS }: Error & Partial<RefusedForNow>, forMs: number): void {
    this.#quietUntil = this.options.queue.now() + forMs;
    this.#problem = hint === undefined || retryAfterS !== undefined ? message : `${message} (${hint})`;
  }
}

type RefusedForNow = VoicebotError & { readonly retryAfterS?: number; readonly isOfNumber?: boolean };

/** This number cannot be called at any time, such as one without a price. */
const isForEver = ({ retryAfterS, isOfNumber }: RefusedForNow) => isOfNumber === true && retryAfterS === undefined;

interface Ended {
  readonly callId: string;
  readonly outcome: CampaignOutcome;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly talkedMs: number;
  readonly cost?: SpentOnRow | undefined;
  readonly disclosedAt?: number | undefined;
  readonly problem?: string | undefined;
}

const rowOf = ({ row, attempt }: AttemptId) => ({ row, attempt });
const keyOf = ({ campaign, row, attempt }: AttemptId) => `${campaign}.${row}.${attempt}`;
