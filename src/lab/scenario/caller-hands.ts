import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';

/** What the caller does to the call. */
export interface CallerHands {
  /** How long a character of the bot's speech lasts about, in milliseconds. Default: as voices speak. */
  readonly characterMs?: number | undefined;
  /** Gives the sound of a text. */
  readonly speak: (text: string) => Promise<Uint8Array>;
  /** Gives the sound of a WAV file. */
  readonly play: (file: string) => Uint8Array;
  readonly press: (digit: DtmfDigit) => void;
  /** A text has been said to its end. */
  readonly said: (text: string) => void;
  readonly hangUp: () => void;
}

/** Something that the caller has done. */
export interface CallerAction {
  /** When it began, in milliseconds since the answer. */
  readonly atMs: number;
  readonly does: 'say' | 'play' | 'press' | 'hang_up';
  /** What was said or pressed; the name of the file that was played. */
  readonly what: string;
}
