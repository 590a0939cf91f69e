/** A stretch of sound without a pause, and what the ears understand of it. */
export interface Stretch {
  /** 8000 Hz mu-law, whole frames of 20 ms; the last of them ends with sound. In base64 on its way to another process. */
  readonly audio: string;
  /** As ears that punctuate write it; empty where there are no words in it. */
  readonly text: string;
}

export interface ScriptedTurn {
  /** What is measured by it; turns without are there for what follows them. */
  readonly row?: string;
  readonly stretches: readonly Stretch[];
  /** Silence between two stretches, in milliseconds. */
  readonly pauseMs: number;
  /** So long into what the bot is saying; undefined: when the bot has been silent for `quietMs`. */
  readonly intoAnswerMs?: number;
  /** How long the bot has been silent before the caller takes their turn, in milliseconds. */
  readonly quietMs: number;
  /** The caller expects an answer to it. */
  readonly isAnswered: boolean;
}

/** How the caller's words get to the bot. */
export interface EarsOptions {
  /** From the end of a sound to the final words, in milliseconds. */
  readonly finalMs: number;
  /** From the end of a word to the interim words with it, in milliseconds. */
  readonly interimMs: number;
  readonly punctuates: boolean;
}

export interface CallScript {
  readonly ears: EarsOptions;
  /** Words of the greeting, and of each answer. */
  readonly greetingWords: number;
  readonly answerWords: number;
  readonly turns: readonly ScriptedTurn[];
  /** Noise from the answer on, 8000 Hz mu-law in base64, repeated. */
  readonly noise?: string;
  /** How long the call goes on after the last turn or the greeting, at least, in milliseconds. */
  readonly tailMs: number;
}

/** What one call sounded like. Times are of the clock that all processes have in common, in milliseconds. */
export interface CallRecord {
  readonly callId: string;
  readonly answeredAt: number;
  readonly endedAt: number;
  readonly turns: readonly TurnRecord[];
  /** Every 20 ms of the bot that could be heard, in order. */
  readonly heard: ReadonlyArray<{ readonly at: number; readonly answer: number; readonly word: number }>;
  /** The call ended before its script. */
  readonly isBroken: boolean;
}

export interface TurnRecord {
  readonly row?: string | undefined;
  /** First and last sound of each stretch. */
  readonly stretches: ReadonlyArray<readonly [from: number, until: number]>;
}

/** What the bot has asked its model. */
export interface ModelRequest {
  readonly at: number;
  readonly callId: string;
  readonly answer: number;
  readonly messages: ReadonlyArray<{ readonly role: string; readonly text: string }>;
}
