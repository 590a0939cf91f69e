import { VoicebotError } from '../../base/errors.js';
import type { OptionNames } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';

/** What becomes of a caller who says nothing. */
export interface IdleOptions {
  /** Silence of both sides before the caller is asked, in milliseconds, 1000 to 600000. Default 10000. */
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

/** Asks a caller who says nothing, and ends the call when that does not help. */
export class IdleCaller {
  readonly #afterMs: number;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID */
  constructor(
    private readonly options: IdleOptions,
    private readonly actions: IdleActions,
  ) {
    const { afterMs = 10_000 } = options;
    const problems = rangeProblems({ 'idle.afterMs': [afterMs, 1_000, 600_000] });
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    this.#afterMs = afterMs;
  }

  /** Both sides are silent from now on, or not any more. */
  set isQuiet(isQuiet: boolean) {
    if (!isQuiet) this.stop();
    else this.#timer ??= setTimeout(() => this.#onQuiet(), this.#afterMs);
  }

  /** The caller has said something, or pressed a key: the next silence is the first one again. */
  answered(): void {
    this.#asked = 0;
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #onQuiet(): void {
    const prompt = this.options.prompts[this.#asked];
    this.#asked += 1;
    if (prompt === undefined) this.actions.giveUp(this.options.goodbye);
    else {
      this.#timer?.refresh(); // the prompt may make no sound
      this.actions.ask(prompt);
    }
  }
}
