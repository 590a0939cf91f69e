import type { ModelQuestion } from '../scenario/model-script.js';

/** What the model of one call was asked and has no answer to. A question that is replaced does not count. */
export class UnansweredQuestions {
  readonly #all: string[] = [];
  /** Whether the last question is one of them. */
  #isLast = false;

  /** Why there was no answer, for people. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** Before each question. */
  ask({ replaces }: Pick<ModelQuestion, 'replaces'>): void {
    if (replaces && this.#isLast) this.#all.pop();
    this.#isLast = false;
  }

  /** The last question has no answer. */
  add(why: string): void {
    this.#all.push(why);
    this.#isLast = true;
  }
}
