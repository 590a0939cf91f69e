import { CallerPauses } from './caller-pauses.js';
import { EarsHabits } from './ears-habits.js';
import { endingOf, HOLDS, type TurnEnding } from './release-rule.js';
import type { CheckedTurnTaking } from './turn-options.js';

/** Final words may take this much longer than these ears have taken before, in milliseconds. */
const EARS_GRACE_MS = 250;

/** Says when an answer may be heard: by the rule, and by what the call has taught of its caller and of its ears. */
export class Release {
  readonly ears = new EarsHabits();
  readonly pauses: CallerPauses;
  /** The last words of the bot's that the caller has heard are a question. */
  wasAsked = false;

  constructor(private readonly turns: CheckedTurnTaking['turns']) {
    this.pauses = new CallerPauses(turns.silenceMs);
  }

  /** How these words of the caller's end. */
  endingOf(text: string): TurnEnding {
    return endingOf(text, { wasAsked: this.wasAsked, punctuate: this.ears.punctuate });
  }

  /**
   * How long after the caller's last sound an answer may be heard, in milliseconds.
   * @param areSettled whether all that was said has its final words: else they are waited for
   */
  holdMs(ending: TurnEnding, areSettled: boolean): number {
    const { of, times, learns } = HOLDS[ending];
    const ruleMs = this.turns[of] * times;
    const holdMs = learns ? Math.max(ruleMs, this.pauses.neededMs) : ruleMs;
    return areSettled ? holdMs : Math.max(holdMs, this.#wordsWithinMs);
  }

  /** How long after the caller's last sound a turn without words is over, in milliseconds. */
  get wordlessMs(): number {
    return this.turns.silenceMs + this.turns.transcriptWaitMs;
  }

  get #wordsWithinMs(): number {
    const { delayMs } = this.ears;
    return delayMs === undefined ? this.wordlessMs : Math.min(this.wordlessMs, delayMs + EARS_GRACE_MS);
  }
}
