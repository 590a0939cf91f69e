import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { isUnwritten } from '../../conversation/context-entry.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import type { Turn } from '../../pipeline/frames/index.js';

/** The model may have said what has come of the work together with what it said before: no longer is waited for it, in milliseconds. */
const RESULT_MS = 2_000;

/** A turn of the conversation while the model does with it what it wants: until it has spoken, and no work is under way. */
export class ContinuousTurn {
  readonly #over = deferred();
  readonly #words = deferred();
  #timer: NodeJS.Timeout | undefined;
  #works: number;
  #isOver = false;
  #isOvertaken = false;
  /** What has come of the work is said behind what is being said. */
  #isResultDue = false;

  /**
   * @param limitMs so long the model may say nothing
   * @param works how much work is under way that a turn before has handed over
   */
  constructor(
    readonly turn: Turn,
    private readonly limitMs: number,
    works = 0,
  ) {
    this.#works = works;
    if (works === 0) this.#await();
  }

  /** Resolves when nothing more comes of it. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** The model speaks. */
  begins(): void {
    this.turn.mark('firstToken');
    this.turn.mark('firstAudio');
    clearTimeout(this.#timer);
  }

  /** It is silent again. */
  spoke(): void {
    if (this.#works > 0) return;
    if (!this.#isResultDue || this.#isOvertaken) this.end();
    else this.#await(Math.min(this.limitMs, RESULT_MS));
    this.#isResultDue = false;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the caller has spoken since it began, or it is over: what the model does next belongs to another turn. */
  get isOvertaken(): boolean {
    return this.#isOvertaken || this.#isOver;
  }

  /** The caller speaks: it is over as soon as the model is silent, and no work is under way. */
  overtaken(isModelSpeaking: boolean): void {
    this.#isOvertaken = true;
    if (this.#works === 0 && !isModelSpeaking) this.end();
  }

  works(): void {
    this.#works += 1;
    clearTimeout(this.#timer);
  }

  /** @param isToBeSaid what has come of the work is said next @param isSpeaking the model is saying something else */
  worked(isToBeSaid: boolean, isSpeaking: boolean): void {
    this.#works -= 1;
    if (this.#works > 0) return;
    this.#isResultDue = isToBeSaid && isSpeaking;
    if (isSpeaking) return;
    if (isToBeSaid && !this.#isOvertaken) this.#await();
    else this.end();
  }

  /** Words of the caller's have come. */
  knowsWords(): void {
    this.#words.resolve();
  }

  /** Resolves when the caller's words are known, in the time that there is. */
  async wordsWithin(ms: number, context: LLMContext): Promise<void> {
    if (isUnwritten(context.messages)) await settlesWithin(this.#words.promise, ms);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#over.resolve();
  }

  #await(limitMs = this.limitMs): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(() => this.end(), limitMs);
  }
}
