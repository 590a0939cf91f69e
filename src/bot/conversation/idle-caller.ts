import { type OptionNames, refuseProblems } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';

/** What becomes of a caller who says nothing. */
export interface IdleOptions {
  /**
   * How long the bot is silent, no words of the caller are understood and no key is pressed before the caller is asked, in milliseconds,
   * 1000 to 600000. Noise does not count. Default 10000.
   */
  afterMs?: number;
  /** What is asked, one after the other, such as `['Are you still there?']`. */
  prompts: readonly string[];
  /** What is said before the call is ended. Default: nothing. */
  goodbye?: string;
}

export const IDLE_OPTIONS: OptionNames<IdleOptions> = { afterMs: true, prompts: true, goodbye: true };

export interface IdleActions {
  ask(prompt: string): void;
  /** The caller has answered none of the prompts. */
  giveUp(goodbye: string | undefined): void;
}

/** How long a voice of which nothing has been understood yet, or words that are not complete, put the question off, in milliseconds. */
const LONGEST_DELAY_MS = 6_000;

/** Asks a caller who says nothing, and ends the call when that does not help. A voice is no answer: it may be noise, or music. */
export class IdleCaller {
  readonly #afterMs: number;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;
  #isCallersTurn = false;
  /** The caller would have been asked, but for what they seem to be saying. */
  #isPutOff = false;

  /** @throws VoicebotError VB_CONFIG_INVALID */
  constructor(
    private readonly options: IdleOptions,
    private readonly actions: IdleActions,
  ) {
    const { afterMs = 10_000 } = options;
    const problems = rangeProblems({ 'idle.afterMs': [afterMs, 1_000, 600_000] });
    refuseProblems(problems);
    this.#afterMs = afterMs;
  }

  /** The bot is silent from now on, and it is for the caller to speak; or not any more. */
  set isQuiet(isQuiet: boolean) {
    if (!isQuiet) this.stop();
    else if (!this.#timer) this.#wait(this.#afterMs);
  }

  /** Whether the caller seems to speak, or has not finished. */
  set isCallersTurn(isCallersTurn: boolean) {
    this.#isCallersTurn = isCallersTurn;
    if (this.#isPutOff && !isCallersTurn) this.#wait(0);
  }

  /** Words of the caller's have been understood: the silence begins anew. */
  heard(): void {
    if (this.#timer) this.#wait(this.#afterMs);
  }

  /** The caller has said something to the end, or pressed a key: the next silence is the first one again. */
  answered(): void {
    this.#asked = 0;
    this.heard();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isPutOff = false;
  }

  #wait(ms: number): void {
    this.stop();
    this.#timer = setTimeout(() => this.#onQuiet(), ms);
  }

  #onQuiet(): void {
    if (this.#isCallersTurn && !this.#isPutOff) {
      this.#wait(LONGEST_DELAY_MS);
      this.#isPutOff = true;
    } else this.#ask();
  }

  #ask(): void {
    const prompt = this.options.prompts[this.#asked];
    this.#asked += 1;
    this.stop();
    if (prompt === undefined) this.actions.giveUp(this.options.goodbye);
    else {
      this.#wait(this.#afterMs); // the prompt may make no sound
      this.actions.ask(prompt);
    }
  }
}
