import type { CallerWords } from './caller-words.js';
import type { CallerTimes, TurnTakingListener } from './turn-taking-listener.js';

/** What an answer was asked for before it is known that the caller has finished. */
export class AskedWords {
  /** As plain words. */
  #words: string | undefined;

  constructor(private readonly listener: Pick<TurnTakingListener, 'mayHaveFinished' | 'overtaken'>) {}

  /** An answer to these words may be wanted. */
  ask({ text, plain }: CallerWords, times: CallerTimes): void {
    if (plain === '' || this.#words === plain) return;
    this.#words = plain;
    this.listener.mayHaveFinished(text, times);
  }

  /** The caller's words are these now. */
  follow(plain: string): void {
    if (this.#words !== plain) this.overtake();
  }

  /** What was asked for is not wanted. */
  overtake(): void {
    if (this.#words === undefined) return;
    this.#words = undefined;
    this.listener.overtaken();
  }

  /** The caller has finished: what was asked for is their answer. */
  take(): void {
    this.#words = undefined;
  }
}
