import { CostTotal } from '../../call/call-cost.js';
import type {
  CampaignCondition,
  CampaignOutcome,
  CampaignProgress,
  CampaignResult,
} from '../../call/campaign-progress.js';
import { CalleeHours } from '../dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../dialing/calling-rules.js';
import {
  type AttemptId,
  type Campaign,
  type CampaignEntry,
  type Contact,
  costOfRow,
  type EndedEntry,
  spacingOf,
} from './campaign.js';
import { type DueRow, DueRows } from './due-rows.js';

/** Where a row is; `waiting` for the attempt that comes next. */
export interface RowState {
  readonly is: 'waiting' | 'placing' | 'placed' | 'done';
  readonly attempt: number;
  readonly callId?: string;
  readonly runner?: string;
  /** When it was last written about; for a waiting row when it is due. */
  readonly at: number;
}

const RANK = { waiting: 0, undone: 0, placing: 1, placed: 2, ended: 3, done: 3 };
const MINUTE_MS = 60_000;

/** For one who asks without the rules of countries. */
const NO_RULES = new CalleeHours(NO_CALLING_RULES);

/** Outcomes that are a fault of the bot, the runner or the request, and not what a person at a telephone did. */
const FAULTS: readonly CampaignOutcome[] = [
  'failed',
  'uncertain',
  'telephony_error',
  'room_closed',
  'audio_unreadable',
  'no_bot',
  'bot_crashed',
  'bot_timeout',
  'not_connected',
  'provider_error',
  'limit_reached',
  'runner_stopped',
  'tunnel_lost',
  'turned_away',
];

/** Of these there was no call. */
const WITHOUT_CALL: readonly CampaignOutcome[] = ['failed', 'do_not_call'];
/** Of these it is not known how long a call took, or there was none. */
const WITHOUT_LENGTH: readonly CampaignOutcome[] = [...WITHOUT_CALL, 'uncertain'];

/** What follows from all that has been written down about a campaign. To apply an entry twice, or late, changes nothing. */
export class CampaignState {
  /** Rows that wait, by when they are due. One that does not wait any more may still be among them. */
  readonly due = new DueRows();
  /** When the last calls were dialled, oldest first, in milliseconds since the Unix epoch. */
  readonly #starts: number[] = [];
  /** What the calls that have ended took, from dialling to the end, in milliseconds. */
  readonly #taken = { calls: 0, ms: 0 };
  /** The attempts that have ended, by row. */
  readonly #ended = new Map<number, EndedEntry[]>();
  readonly #rows: RowState[];
  readonly #live = new Set<number>();
  /** What the calls that have ended have cost, in the currency of the first. */
  readonly #cost = new CostTotal();
  readonly #outcomes: Partial<Record<CampaignOutcome, number>> = {};
  #condition: 'running' | 'paused' | 'cancelled' = 'running';
  #turnedAt = 0;
  #done = 0;
  #lastAt: number;

  constructor(readonly campaign: Campaign) {
    this.#lastAt = campaign.createdAt;
    this.#rows = campaign.contacts.map((_, index) => {
      this.due.add({ at: campaign.createdAt, row: index + 1, attempt: 1 });
      return { is: 'waiting', attempt: 1, at: campaign.createdAt };
    });
  }

  get condition(): CampaignCondition {
    if (this.#condition === 'cancelled') return 'cancelled';
    return this.#done === this.#rows.length ? 'done' : this.#condition;
  }

  /** When it was last paused, resumed or cancelled, in milliseconds since the Unix epoch; 0 when it never was. */
  get turnedAt(): number {
    return this.#turnedAt;
  }

  /** Whether nothing more can happen. */
  get isOver(): boolean {
    return this.condition === 'done' || (this.#condition === 'cancelled' && this.#live.size === 0);
  }

  /** Calls that are not over. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** When the last call was dialled; undefined when none was. */
  get lastStartAt(): number | undefined {
    return this.#starts.at(-1);
  }

  /** Has all rows that wait looked at again, whatever was found out about their time: the clock was put back. Pauses before a retry stay. */
  lookAgain(): void {
    this.due.clear();
    for (const [index, { is, attempt, at }] of this.#rows.entries()) {
      if (is === 'waiting') this.due.add({ at: attempt === 1 ? 0 : at, row: index + 1, attempt });
    }
  }

  /** The attempts that are being placed or are on the line. */
  live(): Array<AttemptId & { readonly state: RowState }> {
    return [...this.#live].map((row) => {
      const state = this.row(row) as RowState;
      return { campaign: this.campaign.id, row, attempt: state.attempt, state };
    });
  }

  row(row: number): RowState | undefined {
    return this.#rows[row - 1];
  }

  /** Of this row so far, oldest first. */
  outcomesOf(row: number): CampaignOutcome[] {
    return (this.#ended.get(row) ?? []).map(({ outcome }) => outcome);
  }

  /** Whether the row waits for this very attempt. */
  awaits(row: number, attempt: number): boolean {
    const state = this.row(row);
    return state?.is === 'waiting' && state.attempt === attempt;
  }

  /** @returns whether it has changed anything */
  apply(entry: CampaignEntry): boolean {
    if (entry.is === 'condition') return this.#turn(entry.condition, entry.at);
    const state = this.row(entry.row);
    if (!state || entry.attempt < state.attempt || state.is === 'done') return false;
    const isLater = entry.attempt > state.attempt || RANK[entry.is] > RANK[state.is];
    if (!isLater && !(entry.is === 'undone' && state.is === 'placing')) return false;
    this.#lastAt = Math.max(this.#lastAt, entry.at);
    if (entry.is === 'ended') this.#end(entry);
    else if (entry.is === 'undone') this.#wait(entry.row, entry.attempt, entry.at);
    else {
      if (!this.#live.has(entry.row)) this.#noteStart(entry.at);
      this.#live.add(entry.row);
      const { is, attempt, at, callId, runner } = entry;
      // What counts is when it was begun: a call that is placed has rung since then.
      this.#put(entry.row, { is, attempt, at: state.is === 'placing' ? state.at : at, callId, runner });
    }
    return true;
  }

  /** What must be written again to make another copy equal to this one, oldest first. */
  entries(): CampaignEntry[] {
    const attempts = this.#rows.flatMap((state, index): CampaignEntry[] => {
      const { is, attempt, at, callId = '', runner = '' } = state;
      const ended = this.#ended.get(index + 1) ?? [];
      return is === 'placing' || is === 'placed'
        ? [...ended, { is, row: index + 1, attempt, at, callId, runner }]
        : ended;
    });
    const [at, condition] = [this.#turnedAt, this.#condition];
    return at === 0 ? attempts : [...attempts, { is: 'condition', at, condition }];
  }

  /** @param hours when contacts may be called, beside the hours of the campaign */
  progress(now: number, problem?: string, hours = NO_RULES): CampaignProgress {
    const { id, name, createdAt, contacts, perMinute, atOnce } = this.campaign;
    const [rows, running] = [contacts.length, this.#live.size];
    const waiting = this.#condition === 'cancelled' ? 0 : rows - this.#done - running;
    const next = waiting > 0 ? this.#firstDue() : undefined;
    const nextAt = next?.at;
    const cost = this.#cost.sum;
    return {
      id,
      name,
      condition: this.condition,
      createdAt,
      ...(this.isOver && { endedAt: this.#lastAt }),
      rows,
      done: this.#done,
      running,
      waiting,
      ...(next !== undefined && next.at > now && { waitingUntil: next.at, ...this.#reason(next, now, hours) }),
      outcomes: { ...this.#outcomes },
      faults: FAULTS.reduce((sum, outcome) => sum + (this.#outcomes[outcome] ?? 0), 0),
      dialledPerMinute: this.#starts.filter((at) => at >= now - MINUTE_MS).length,
      perMinute,
      atOnce,
      ...(cost && { cost }),
      ...(problem === undefined && this.#expected(now, nextAt, hours)),
      ...(problem !== undefined && !this.isOver && { problem }),
    };
  }

  results(): CampaignResult[] {
    return this.campaign.contacts.map(({ id, phoneNumber }, index) => {
      const row = index + 1;
      const ended = this.#ended.get(row) ?? [];
      const last = ended.at(-1);
      const isLive = this.#live.has(row);
      const cost = costOfRow(ended.filter(({ outcome }) => !WITHOUT_CALL.includes(outcome)).map((one) => one.cost));
      return {
        row,
        ...(id !== undefined && { id }),
        phoneNumber,
        attempts: ended.length + (isLive ? 1 : 0),
        ...(last && { outcome: last.outcome, callId: last.callId, startedAt: last.startedAt, talkedMs: last.talkedMs }),
        ...(cost && { cost }),
        ...(last?.disclosedAt !== undefined && { disclosedAt: last.disclosedAt }),
        ...(last?.problem !== undefined && { problem: last.problem }),
      };
    });
  }

  /** By how long its calls have taken, and when the last row that waits is due; nothing where calls wait for what has no time. */
  #expected(now: number, nextAt: number | undefined, hours: CalleeHours): { expectedEndAt?: number } {
    const { contacts, atOnce, hours: own } = this.campaign;
    if (this.condition !== 'running' || this.#taken.calls === 0) return {};
    const callMs = this.#taken.ms / this.#taken.calls;
    const perRowMs = Math.max(spacingOf(this.campaign), callMs / atOnce);
    const rowsAfterNext = this.#rows.length - this.#done - 1;
    const lastAt = Math.max(Math.max(now, nextAt ?? now) + perRowMs * rowsAfterNext, this.due.latest);
    if (hours.next(contacts.at(-1) as Contact, lastAt, own) !== lastAt) return {}; // some are for another day
    return { expectedEndAt: Math.round(lastAt + callMs) };
  }

  /** Why a row is not called now, where that is the hour of the day. */
  #reason({ row }: DueRow, now: number, hours: CalleeHours): { waitingFor?: string } {
    const { contacts, hours: own } = this.campaign;
    const contact = contacts[row - 1] as Contact;
    const rule = hours.problem(contact, now)?.rule;
    if (rule) return { waitingFor: `calling hours of ${rule.country}` };
    return hours.next(contact, now, own) === now ? {} : { waitingFor: 'calling hours' };
  }

  #noteStart(at: number): void {
    this.#starts.push(at);
    while ((this.#starts[0] as number) < at - MINUTE_MS) this.#starts.shift();
  }

  #firstDue(): DueRow | undefined {
    for (let first = this.due.first; first; first = this.due.first) {
      if (this.awaits(first.row, first.attempt)) return first;
      this.due.take();
    }
    return undefined;
  }

  #turn(condition: 'running' | 'paused' | 'cancelled', at: number): boolean {
    if (this.#condition === 'cancelled' || (at < this.#turnedAt && condition !== 'cancelled')) return false;
    if (this.#condition === condition && this.#turnedAt === at) return false;
    this.#condition = condition;
    this.#turnedAt = at;
    this.#lastAt = Math.max(this.#lastAt, at);
    return true;
  }

  #end(entry: EndedEntry): void {
    const { row, attempt, outcome, cost, nextAt, at } = entry;
    this.#ended.set(row, [...(this.#ended.get(row) ?? []), entry]);
    this.#live.delete(row);
    if (!WITHOUT_CALL.includes(outcome)) this.#cost.add(cost);
    if (!WITHOUT_LENGTH.includes(outcome)) {
      this.#taken.calls += 1;
      // It may have been written down long after: by the next runner.
      this.#taken.ms += Math.max(0, (entry.endedAt ?? at) - entry.startedAt);
    }
    if (nextAt !== undefined) {
      this.#wait(row, attempt + 1, nextAt);
      return;
    }
    this.#put(row, { is: 'done', attempt, at });
    this.#done += 1;
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
  }

  #wait(row: number, attempt: number, at: number): void {
    this.#live.delete(row);
    this.#put(row, { is: 'waiting', attempt, at });
    this.due.add({ at, row, attempt });
  }

  #put(row: number, state: RowState): void {
    this.#rows[row - 1] = state;
  }
}
