import type { TalkFigures } from './view/talk-figures.js';

/** The waveform of a recording, in so many pieces; plain JSON. */
export interface CallPeaks {
  readonly version: 1;
  readonly durationMs: number;
  /** The lowest and the highest sample of each piece, one after the other: -1 to 1. Of the caller. */
  readonly left: readonly number[];
  /** Of the bot. */
  readonly right: readonly number[];
}

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
