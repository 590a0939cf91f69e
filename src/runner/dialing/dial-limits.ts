import { join } from 'node:path';
import { VoicebotError } from '../../errors.js';
import { DialledMinutes, type KeptMinutes } from './dialled-minutes.js';

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

/** A place among the calls that may be dialled. Each function may be called again, which does nothing. */
export interface DialSlot {
  /** The call is over. @param talkedMs from its answer to its end, in milliseconds. Default 0: nobody answered */
  release(talkedMs?: number): void;
  /** The call was certainly never placed: it counts for nothing any more. */
  undo(): void;
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

interface Admission {
  readonly at: number;
}

/** Counts dialled calls against the limits of the configuration. */
export class DialLimits {
  /** The calls of the last 60 seconds, oldest first. */
  readonly #recent = new Set<Admission>();
  /** The last call to each number, oldest first. */
  readonly #numbers = new Map<string, Admission>();
  #live = 0;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly limits: DialLimitsOptions,
    private readonly now = () => performance.now(),
  ) {}

  /**
   * Takes a place for a call to `number`, or throws and counts nothing.
   * @param number E.164
   * @throws DialLimitError VB_DIAL_LIMIT
   */
  admit(number: string): DialSlot {
    const at = this.now();
    this.#forget(at);
    this.#checkNumber(number, at);
    this.#checkLive();
    this.#checkMinute(at);
    const minutes = this.#keepMinutes();
    const admission: Admission = { at };
    this.#recent.add(admission);
    if (this.limits.secondsPerNumber > 0) this.#numbers.set(number, admission);
    this.#live += 1;

    let isLive = true;
    const release = (talkedMs = 0) => {
      if (isLive) this.#live -= 1;
      isLive = false;
      minutes?.settle(talkedMs);
    };
    const undo = () => {
      release();
      this.#recent.delete(admission);
      if (this.#numbers.get(number) === admission) this.#numbers.delete(number);
    };
    return { release, undo };
  }

  #checkNumber(number: string, at: number): void {
    const spacingMs = this.limits.secondsPerNumber * 1_000;
    const last = this.#numbers.get(number);
    if (last) {
      throw new DialLimitError(
        `this number may be called once in ${this.limits.secondsPerNumber} s`,
        'lower VOICEBOT_DIAL_SECONDS_PER_NUMBER',
        wholeSeconds(last.at + spacingMs - at),
        true,
      );
    }
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
    if (this.#live < atOnce) return;
    throw new DialLimitError(`at most ${atOnce} dialled calls at once`, 'raise VOICEBOT_DIAL_AT_ONCE');
  }

  #checkMinute(at: number): void {
    const { perMinute } = this.limits;
    if (this.#recent.size < perMinute) return;
    const [oldest] = this.#recent;
    throw new DialLimitError(
      `at most ${perMinute} calls a minute`,
      'raise VOICEBOT_DIAL_PER_MINUTE',
      oldest && wholeSeconds(oldest.at + WINDOW_MS - at),
    );
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
    throw new DialLimitError(
      `${kept.minutes} of the ${minutes.perDay} minutes that may be dialled today are used or kept for calls, and a call may take ${minutes.perCall}`,
      'raise VOICEBOT_DIAL_MINUTES_PER_DAY or lower VOICEBOT_DIAL_MAX_SECONDS',
      kept.retryAfterS,
    );
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

/** Those of a runner. */
export function dialLimitsOf({ stateDirectory, dialLimits, dialMaxSeconds }: LimitedRunner): DialLimits {
  const { minutesPerDay: perDay, ...limits } = dialLimits;
  if (perDay === undefined) return new DialLimits(limits);
  const perCall = Math.ceil(dialMaxSeconds / 60);
  const minutes = new DialledMinutes({ directory: join(stateDirectory, 'dialled'), perDay, perCall });
  return new DialLimits({ ...limits, minutes });
}

interface LimitedRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly dialLimits: Omit<DialLimitsOptions, 'minutes'> & { readonly minutesPerDay?: number | undefined };
  /** The longest that one call may last. */
  readonly dialMaxSeconds: number;
}
