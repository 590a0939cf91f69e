import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { DataFrame, SystemFrame } from './frame.js';
import type { ModelResponse } from './turn.js';

/** What becomes of the words of a {@link TTSSpeakFrame}. */
export interface SpeakOptions {
  /** Whether the words become part of what the model knows the bot has said. Default true. */
  appendToContext?: boolean;
  /**
   * Told where the voice has not said it to its end, before {@link TTSSpeakFrame.synthesised} resolves. The voice does not apologise for it then,
   * and ends no call.
   */
  unsaid?: (() => void) | undefined;
}

/** Says a text as it stands, behind everything said before. */
export class TTSSpeakFrame extends DataFrame {
  readonly appendToContext: boolean;
  /** @internal */
  readonly unsaid: (() => void) | undefined;
  readonly #synthesised: Deferred<void> = deferred();

  /** @param text empty says nothing, and only marks the place */
  constructor(
    readonly text: string,
    { appendToContext = true, unsaid }: SpeakOptions = {},
  ) {
    super();
    this.appendToContext = appendToContext;
    this.unsaid = unsaid;
  }

  /** Resolves when its audio, and all before it, is on its way to the transport's output, or never will be. */
  get synthesised(): Promise<void> {
    return this.#synthesised.promise;
  }

  /** For the voice. */
  settle(): void {
    this.#synthesised.resolve();
  }
}

/** A stretch of speech that the voice makes in one piece: an answer of the model, or a text to say. */
export interface Utterance {
  /** Unique in its voice. */
  readonly id: number;
  /** The answer that it says; absent for a text of the bot's own. */
  readonly response?: ModelResponse | undefined;
  readonly appendToContext: boolean;
  /** All of it, where that is known from the start; absent for an answer of the model. */
  readonly text?: string | undefined;
}

/** The audio of an utterance begins here. */
export class TTSStartedFrame extends DataFrame {
  constructor(readonly utterance: Utterance) {
    super();
  }
}

/** A word and when it is spoken, in milliseconds since the utterance's first sample. */
export interface TimedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The next text of an utterance, as it was written, with the spaces that join it to the text before. Stands before its audio:
 * without times it lasts until the next of these, or the utterance's end. `words` may come late, by a {@link TTSTimingFrame}.
 */
export class TTSTextFrame extends DataFrame {
  constructor(
    readonly utterance: Utterance,
    readonly text: string,
  ) {
    super();
  }
}

/** Times of words of an utterance, in order; before or after their audio. */
export class TTSTimingFrame extends DataFrame {
  constructor(
    readonly utterance: Utterance,
    readonly words: readonly TimedWord[],
  ) {
    super();
  }
}

/** All audio of an utterance stands before this. */
export class TTSStoppedFrame extends DataFrame {
  constructor(readonly utterance: Utterance) {
    super();
  }
}

/** The bot falls silent at once: what it was about to say is kept. Travels downstream. */
export class HoldSpeechFrame extends SystemFrame {}

/** The bot goes on with what a {@link HoldSpeechFrame} has kept, from the beginning of the word that was cut. Travels downstream. */
export class ResumeSpeechFrame extends SystemFrame {}

/**
 * What the caller has heard of an utterance, told by the transport's output both ways: once, when it has been played to its end or
 * was interrupted.
 */
export class SpeechHeardFrame extends SystemFrame {
  /**
   * @param text the part of the utterance's text that was heard, whole words
   * @param heardMs how much of its audio, in milliseconds
   */
  constructor(
    readonly utterance: Utterance,
    readonly text: string,
    readonly wasInterrupted: boolean,
    readonly heardMs = 0,
  ) {
    super();
  }
}
