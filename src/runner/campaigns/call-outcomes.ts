import type { CallRecord } from '../../call/call-record.js';

/** What becomes of calls that were dialled, wherever they are now. */
export interface CallOutcomes {
  /** What is known of a call; undefined when nothing is. */
  find(callId: string): Promise<CallRecord | undefined>;
  /**
   * Resolves with the record of the call when it has ended; for a call of which nothing is known, once something is and it has.
   * @throws the reason of `signal` as soon as that is aborted
   */
  ended(callId: string, signal: AbortSignal): Promise<CallRecord>;
}
