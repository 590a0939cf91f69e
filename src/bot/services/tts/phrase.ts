import type { TimedWord } from '../../pipeline/frames/index.js';

/** Speech that was made once and is kept. */
export interface Phrase {
  /** Hertz. */
  readonly sampleRate: number;
  readonly pcm: Int16Array;
  /** The text in the pieces it was spoken in, and where each begins, in samples. */
  readonly texts: ReadonlyArray<{ readonly text: string; readonly start: number }>;
  /** Counted from the first sample; none where the voice gives no times. */
  readonly words: readonly TimedWord[];
}
