import type { LLMMessage } from '../../pipeline/frames/index.js';

/** What is done about a model that ends a turn with no words and no function: it is asked again, the bot says a sentence of its own, or nothing. */
export type SilenceCure = 'ask_again' | 'own_sentence' | 'none';

/** Told to a model that is asked again, and kept nowhere. */
export const SPEAK_UP = 'Your last answer had no words that can be spoken. Answer in words.';

/**
 * Sees to it that a caller who has spoken hears something, in one turn of the model. What the model said in front of a function,
 * and what a function says while it runs, counts as heard when the model has been asked again and stays silent; what a function
 * says of its own accord counts at once.
 */
export class AnswerCheck {
  readonly #isForCaller: boolean;
  #hasAnnounced = false;
  #hasFunctionSpoken = false;
  #hasAskedAgain = false;

  /** @param asked what the model is asked with at the beginning of the turn */
  constructor(asked: readonly LLMMessage[]) {
    this.#isForCaller = asked.at(-1)?.role === 'user';
  }

  /** The caller hears something in front of a function, or while it runs. */
  announced(): void {
    this.#hasAnnounced = true;
  }

  /** A function has said something of its own accord. */
  functionSpoke(): void {
    this.#hasFunctionSpoken = true;
  }

  /** The model has ended with no words and no function. */
  onSilence(): SilenceCure {
    if (this.#hasFunctionSpoken) return 'none';
    if (!this.#hasAskedAgain) {
      this.#hasAskedAgain = true;
      return 'ask_again';
    }
    return this.#isForCaller && !this.#hasAnnounced ? 'own_sentence' : 'none';
  }
}
