import { VoicebotError } from '../../base/errors.js';
import type { Micros } from '../../base/money.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { Prices } from '../costs/prices.js';
import type { DialledMinutes, KeptMinutes } from './dialled-minutes.js';

const WINDOW_MS = 60_000;
/** Most numbers remembered for the seconds between two calls to one; while so many are, no further one is called. */
export const MAX_RECENT_NUMBERS = 100_000;

export interface DialLimitsOptions {
  /** Calls in any 60 seconds; 0 allows none. */
  readonly perMinute: number;
  /** Calls that are not over; 0 allows none. */
  readonly atOnce: number;
  /** Seconds from one call to a number to the next to the same; 0 is no limit. */
  readonly secondsPerNumber: number;
  /** Minutes of a day. Default: any number. */
  readonly minutes?: DialledMinutes | undefined;
  /** Money of a day. Default: any amount. */
  readonly money?: MoneyGuard | undefined;
}

/** Counts what dialled calls cost. */
export interface MoneyGuard {
  /**
   * Keeps the most that a call to `number`, E.164, may cost.
   * @throws DialLimitError VB_DIAL_LIMIT
   * @throws the system's error when nothing can be written: then nothing may be dialled
   */
  keep(number: string, callId: CallId): void;
  /** The call was certainly never placed. */
  undo(callId: CallId): void;
  /** It is over, and what it has cost is known. */
  settled(record: CallRecord): void;
}

/** The limits as they are set. */
export interface SetDialLimits extends Omit<DialLimitsOptions, 'minutes' | 'money'> {
  readonly minutesPerDay?: number | undefined;
  /** In the currency of the prices. Needs prices of the carrier's minutes. */
  readonly moneyPerDay?: Micros | undefined;
}

/** Whose minutes are paid. */
type LimitedProvider =
  | { readonly carrier: { readonly name: string } }
  | { readonly provider: { readonly name: string } };

/** What a runner is set to, as far as it concerns the calls that it dials. */
export interface LimitedRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly dialLimits: SetDialLimits;
  /** What calls cost, as far as the user has said so. */
  readonly prices?: Prices | undefined;
  readonly provider: LimitedProvider;
  /** Absolute path. */
  readonly botFile: string;
  /** The longest that one dialled call may last, in seconds. */
  readonly dialMaxSeconds: number;
  readonly ringSeconds: number;
}

/** A place among the calls that may be dialled. Each function may be called again, which does nothing. */
export interface DialSlot {
  /** The call is over. @param talkedMs from its answer to its end, in milliseconds. Default 0: it was not answered */
  release(talkedMs?: number): void;
  /** The call was certainly never placed: it counts for nothing any more. */
  undo(): void;
}

/** What goes with a call that another runner goes on with, of what it counts for. */
export interface MovedPlace {
  /** Names the number and does not tell it; undefined where that is not known. */
  readonly number?: string | undefined;
  /** The day that its minutes and its money count for, from 1970 on; undefined where neither is counted. */
  readonly day?: number | undefined;
  /** Kept for it. */
  readonly minutes: number;
  /** Kept for it of the day's money, in millionths. */
  readonly micros: Micros;
  /** Unix time in milliseconds. */
  readonly admittedAt: number;
}

/** Counts dialled calls against the limits of the configuration, for one runner or for all of a cluster. */
export interface DialGate {
  /**
   * Takes a place for a call to `number`, or rejects and counts nothing.
   * @param number E.164
   * @throws DialLimitError VB_DIAL_LIMIT
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE when Redis cannot tell what the other runners have dialled
   */
  admit(number: string, callId: CallId): Promise<DialSlot>;
  /** A call is over, and what it has cost is known: told once. Only where calls are priced. */
  settled(record: CallRecord): void;
  /**
   * The place of a call that goes on, also of one that another runner was admitted for. Where there is none it does nothing.
   * @param moved as that runner has told it
   */
  slotOf(callId: CallId, moved?: MovedPlace): DialSlot;
  /** What the runner is told that goes on with a call. Only where runners share their limits. */
  placeOf?(callId: CallId): MovedPlace | undefined;
  /** Another runner has the call, and its place. Only where runners share their limits. */
  letGo?(callId: CallId): void;
  /** Resolves when what the last calls have given back is written down, as far as that can be. */
  close(): Promise<void>;
}

/** One call too many for now. */
export class DialLimitError extends VoicebotError {
  /**
   * @param retryAfterS whole seconds until there is room; undefined when time alone does not make any
   * @param isOfNumber other numbers may be called meanwhile
   */
  constructor(
    detail: string,
    hint: string,
    readonly retryAfterS?: number | undefined,
    readonly isOfNumber = false,
  ) {
    super('VB_DIAL_LIMIT', detail, { hint: retryAfterS ? `try again in ${retryAfterS} s, or ${hint}` : hint });
  }
}

/** The number was called a moment ago. */
export const numberTooSoon = (secondsPerNumber: number, waitMs: number): DialLimitError =>
  new DialLimitError(
    `this number may be called once in ${secondsPerNumber} s`,
    'lower VOICEBOT_DIAL_SECONDS_PER_NUMBER',
    wholeSeconds(waitMs),
    true,
  );

/** So many calls go on. */
export const tooManyAtOnce = (atOnce: number): DialLimitError =>
  new DialLimitError(`at most ${atOnce} dialled calls at once`, 'raise VOICEBOT_DIAL_AT_ONCE');

/** @param waitMs until the oldest of them no longer counts; undefined where none is allowed */
export const tooManyInMinute = (perMinute: number, waitMs: number | undefined): DialLimitError =>
  new DialLimitError(
    `at most ${perMinute} calls a minute`,
    'raise VOICEBOT_DIAL_PER_MINUTE',
    waitMs === undefined ? undefined : wholeSeconds(waitMs),
  );

/** @param minutes those that are used or kept @param waitMs until there may be more */
export const tooFewMinutes = (
  { perDay, perCall }: Pick<DialledMinutes, 'perDay' | 'perCall'>,
  minutes: number,
  waitMs: number,
): DialLimitError =>
  new DialLimitError(
    `${minutes} of the ${perDay} minutes that may be dialled today are used or kept for calls, and a call may take ${perCall}`,
    'raise VOICEBOT_DIAL_MINUTES_PER_DAY or lower VOICEBOT_DIAL_MAX_SECONDS',
    wholeSeconds(waitMs),
  );

interface Admission {
  readonly at: number;
}

/** Counts the calls of one runner. */
export class DialLimits implements DialGate {
  /** The calls of the last 60 seconds, oldest first. */
  readonly #recent = new Set<Admission>();
  /** The last call to each number, oldest first. */
  readonly #numbers = new Map<string, Admission>();
  /** Those of the calls that go on. */
  readonly #live = new Map<CallId, DialSlot>();

  /** @param now monotonic milliseconds */
  constructor(
    private readonly limits: DialLimitsOptions,
    private readonly now = () => performance.now(),
  ) {}

  async admit(number: string, callId: CallId): Promise<DialSlot> {
    const at = this.now();
    this.#forget(at);
    this.#checkNumber(number, at);
    this.#checkLive();
    this.#checkMinute(at);
    this.#keepMoney(number, callId);
    const minutes = this.#keepMinutes(callId);
    const admission: Admission = { at };
    this.#recent.add(admission);
    if (this.limits.secondsPerNumber > 0) this.#numbers.set(number, admission);

    const release = (talkedMs = 0) => {
      if (this.#live.get(callId) === slot) this.#live.delete(callId);
      minutes?.settle(talkedMs);
    };
    const undo = () => {
      release();
      this.limits.money?.undo(callId);
      this.#recent.delete(admission);
      if (this.#numbers.get(number) === admission) this.#numbers.delete(number);
    };
    const slot: DialSlot = { release, undo };
    this.#live.set(callId, slot);
    return slot;
  }

  settled(record: CallRecord): void {
    this.limits.money?.settled(record);
  }

  slotOf(callId: CallId): DialSlot {
    return this.#live.get(callId) ?? { release() {}, undo() {} };
  }

  async close(): Promise<void> {}

  #checkNumber(number: string, at: number): void {
    const spacingMs = this.limits.secondsPerNumber * 1_000;
    const last = this.#numbers.get(number);
    if (last) throw numberTooSoon(this.limits.secondsPerNumber, last.at + spacingMs - at);
    const [oldest] = this.#numbers.values();
    if (!oldest || this.#numbers.size < MAX_RECENT_NUMBERS) return;
    throw new DialLimitError(
      `${MAX_RECENT_NUMBERS} different numbers were called in the last ${this.limits.secondsPerNumber} s`,
      'lower VOICEBOT_DIAL_SECONDS_PER_NUMBER',
      wholeSeconds(oldest.at + spacingMs - at),
    );
  }

  #checkLive(): void {
    const { atOnce } = this.limits;
    if (this.#live.size >= atOnce) throw tooManyAtOnce(atOnce);
  }

  #checkMinute(at: number): void {
    const { perMinute } = this.limits;
    if (this.#recent.size < perMinute) return;
    const [oldest] = this.#recent;
    throw tooManyInMinute(perMinute, oldest && oldest.at + WINDOW_MS - at);
  }

  /** After all other checks, since it writes. */
  #keepMoney(number: string, callId: CallId): void {
    const { money } = this.limits;
    if (money) written('what is spent', () => money.keep(number, callId));
  }

  /** The last, since it writes too. */
  #keepMinutes(callId: CallId): KeptMinutes | undefined {
    const { minutes, money } = this.limits;
    if (!minutes) return undefined;
    try {
      const kept = written('the dialled minutes', () => minutes.keep());
      if ('settle' in kept) return kept;
      throw tooFewMinutes(minutes, kept.minutes, kept.retryAfterS * 1_000);
    } catch (error) {
      money?.undo(callId);
      throw error;
    }
  }

  /** Drops what no longer counts. */
  #forget(at: number): void {
    for (const admission of this.#recent) {
      if (admission.at + WINDOW_MS > at) break;
      this.#recent.delete(admission);
    }
    for (const [number, admission] of this.#numbers) {
      if (admission.at + this.limits.secondsPerNumber * 1_000 > at) break;
      this.#numbers.delete(number);
    }
  }
}

/** @throws DialLimitError also in the place of the system's error */
function written<Kept>(what: string, keep: () => Kept): Kept {
  try {
    return keep();
  } catch (error) {
    if (error instanceof DialLimitError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DialLimitError(
      `${what} of this day cannot be written down (${code ?? message})`,
      'make room in the folder that VOICEBOT_HOME names',
    );
  }
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
