import { UsualTimes } from '../usual-times.js';
import type { LiveAnswer } from './live-answer.js';

/**
 * How long a session may take to the first sound of an answer before a cascade is asked, too, in milliseconds: one that this process has
 * not heard; and others at least.
 */
const [UNKNOWN_MS, LEAST_MS] = [1_000, 700];
/** How much longer than a session usually takes that is, and how many milliseconds longer at most. */
const [SHARE, MOST_BEYOND_MS] = [1.5, 700];
/** A session with a cascade beside it whose sound has run out in the middle of an answer has so long to go on, in milliseconds. */
const STALL_MS = 500;

/** How long the live models of this process take to their first sound. */
const usual = new UsualTimes();

/** How long the answers of a session are waited for. Times are in milliseconds. */
export class LivePatience {
  /**
   * @param key of the model
   * @param limitMs until an answer begins; half as long in its middle
   * @param isReplaceable a cascade stands beside the session
   */
  constructor(
    private readonly key: string,
    readonly limitMs: number,
    private readonly isReplaceable: boolean,
  ) {}

  /** Until a cascade is asked, too; undefined where there is none. */
  get joinMs(): number | undefined {
    if (!this.isReplaceable) return undefined;
    const usualMs = usual.of(this.key);
    if (usualMs === undefined) return Math.min(UNKNOWN_MS, this.limitMs);
    return Math.min(Math.max(LEAST_MS, SHARE * usualMs), usualMs + MOST_BEYOND_MS, this.limitMs);
  }

  /** Until more of an answer has to come: what has come of it is heard first. */
  limitOf({ hasBegun, unplayedMs, isSoundWhole, calls }: LiveAnswer): number {
    if (!hasBegun) return this.limitMs;
    const isCut = !isSoundWhole && calls.length === 0;
    return unplayedMs + (this.isReplaceable && isCut ? STALL_MS : this.limitMs / 2);
  }

  /** An answer has begun, so long after it was awaited. */
  took(ms: number): void {
    usual.took(this.key, ms);
  }
}
