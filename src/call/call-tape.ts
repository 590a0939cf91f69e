import type { WordTimes } from './disclosure.js';

/**
 * Hears both sides of a call as they pass the wire, and is told what the far end drops. It never throws and never waits, and keeps the
 * samples it is given: the transport does not write to them afterwards.
 */
export interface CallTape {
  /** Whether what it hears is kept at the moment: not while the recording is paused or waits for its notice, nor once it is over. */
  readonly isRunning: boolean;
  /** Audio of the caller has come in. @param sampleRate hertz, the same throughout a call */
  received(pcm: Int16Array, sampleRate: number): void;
  /**
   * Audio of the bot has gone out: the far end plays it behind what it has not played yet.
   * @returns whether a mark is wanted behind it: when that comes back the tape knows when the audio was heard
   */
  sent(pcm: Int16Array, sampleRate: number): boolean;
  /** A mark has gone out behind what was sent. */
  marked(name: string): void;
  /** The far end has played everything before a mark. */
  played(name: string): void;
  /** The far end is told to drop what it has not played. */
  cleared(): void;
  /** It has done so. */
  dropped(): void;
  /** The media stream is over: what it has not played is never heard. Another one may follow. */
  streamOver(): void;
  /** What goes out from here on are words that are to be found again, until the next call. */
  watchWords(): void;
  /**
   * Resolves with where they stand in the recording, in milliseconds since the Unix epoch as its beginning is told, when they are recorded and
   * safe from a crash; undefined where they are not in it as a whole, or that is not known soon.
   */
  findWords(): Promise<WordTimes | undefined>;
}

/** Where a bot's process records a call. */
export interface RecordingOrder {
  /** Absolute path of the call's folder. */
  readonly folder: string;
  /** When the recording begins, milliseconds since the Unix epoch: the same for every bot of the call. */
  readonly startedAt: number;
  /** Keys are noted as `•`. */
  readonly maskDigits: boolean;
  /** The bot says that it records: nothing is kept before that was heard. */
  readonly notice?: 'awaited' | 'heard' | undefined;
}
