/** The waveform of a recording, in so many pieces; plain JSON. */
export interface CallPeaks {
  readonly version: 1;
  readonly durationMs: number;
  /** The lowest and the highest sample of each piece, one after the other: -1 to 1. Of the caller. */
  readonly left: readonly number[];
  /** Of the bot. */
  readonly right: readonly number[];
}
