import { VoicebotError } from '../../base/errors.js';
import type { CallId } from '../../call/call-id.js';
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
}

/** What a runner is set to, as far as it concerns the calls that it dials. */
export interface LimitedRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly dialLimits: Omit<DialLimitsOptions, 'minutes'> & { readonly minutesPerDay?: number | undefined };
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

/** Counts dialled calls against the limits of the configuration, for one runner or for all of a cluster. */
export interface DialGate {
  /**
   * Takes a place for a call to `number`, or rejects and counts nothing.
   * @param number E.164
   * @throws DialLimitError VB_DIAL_LIMIT
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE when Redis cannot tell what the other runners have dialled
   */
  admit(number: string, callId: CallId): Promise<DialSlot>;
  /** The place of a call that goes on, also of one that another runner was admitted for. Where there is none it does nothing. */
  slotOf(callId: CallId): DialSlot;
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

/** @param minutes those that are used or kept @param waitMs until the next day */
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
    const minutes = this.#keepMinutes();
    const admission: Admission = { at };
    this.#recent.add(admission);
    if (this.limits.secondsPerNumber > 0) this.#numbers.set(number, admission);

    const release = (talkedMs = 0) => {
      if (this.#live.get(callId) === slot) this.#live.delete(callId);
      minutes?.settle(talkedMs);
    };
    const undo = () => {
      release();
      this.#recent.delete(admission);
      if (this.#numbers.get(number) === admission) this.#numbers.delete(number);
    };
    const slot: DialSlot = { release, undo };
    this.#live.set(callId, slot);
    return slot;
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

  /** The last of all checks, since it writes. */
  #keepMinutes(): KeptMinutes | undefined {
    const { minutes } = this.limits;
    if (!minutes) return undefined;
    let kept: ReturnType<DialledMinutes['keep']>;
    try {
      kept = minutes.keep();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new DialLimitError(
        `the dialled minutes of this day cannot be written down (${code ?? message})`,
        'make room in the folder that VOICEBOT_HOME names',
      );
    }
    if ('settle' in kept) return kept;
    throw tooFewMinutes(minutes, kept.minutes, kept.retryAfterS * 1_000);
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

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
