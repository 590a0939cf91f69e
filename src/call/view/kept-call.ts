import type { TalkFigures } from './talk-figures.js';

/** What is kept of a call beside its events; plain JSON. */
export interface KeptCall {
  readonly version: 1;
  /** Names of files that are missing or damaged, with what is wrong. */
  readonly missing: readonly string[];
  readonly audio?: {
    /** When its first sample was heard, milliseconds since the Unix epoch. */
    readonly startedAt: number;
    readonly durationMs: number;
  };
  /** How well the two sides got on; missing while the call goes on. */
  readonly figures?: TalkFigures;
}
