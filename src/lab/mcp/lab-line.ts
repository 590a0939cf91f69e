import type { TimelineEvent } from '../../call/timeline.js';
import type { WordPattern } from '../scenario/words.js';

/** A call that an agent follows. Waits are in milliseconds; aborted, they reject with the signal's reason. */
export interface LabLine {
  /** What has happened so far. */
  readonly events: readonly TimelineEvent[];
  /** Milliseconds since the answer; 0 before. */
  readonly nowMs: number;
  /** Why it ended, as a sentence; undefined while it goes on. */
  readonly end: string | undefined;
  /** Resolves with whether the bot has said these words to their end; they are not found a second time. */
  words(words: WordPattern, withinMs: number, signal: AbortSignal): Promise<boolean>;
  /** Resolves with whether the call is over. */
  ended(withinMs: number, signal: AbortSignal): Promise<boolean>;
}
