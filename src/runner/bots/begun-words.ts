import type { CallerSpeech } from '../../call/folder/caller-speech.js';
import { sharedNow } from '../../call/folder/journal.js';
import type { BotEntry } from '../../call/timeline.js';

/**
 * What the caller was saying while nothing was kept, and what the ears tell as final later: it is not kept either. Finals say of no word when
 * it was spoken, so all of the first one stays out.
 */
export class BegunWords {
  /** The ears have understood something since the last final. */
  #isUnderstood = false;
  #finalAt = Number.NEGATIVE_INFINITY;
  /** From when on everything is kept, but for what was begun; undefined once that has come. */
  #keptFrom: number | undefined;
  #wasUnderstood = false;

  /** @param now by the clock of `speech` */
  constructor(
    private readonly speech: Pick<CallerSpeech, 'from' | 'until'>,
    private readonly now: () => number = sharedNow,
  ) {}

  /** From here on everything is kept that is said. */
  keep(): void {
    this.#wasUnderstood = this.#isUnderstood;
    const isBegun = this.#isUnderstood || this.speech.until > this.#finalAt;
    this.#keptFrom = isBegun ? this.now() : undefined;
  }

  /** Told of everything that the bot notes. @returns whether it was begun while nothing was kept */
  hides(entry: BotEntry): boolean {
    if (entry.type === 'interim_transcript') this.#isUnderstood = true;
    if (entry.type !== 'said' || entry.speaker !== 'caller' || entry.typed) return false;
    const isBegun = this.#keptFrom !== undefined && (this.#wasUnderstood || this.speech.from <= this.#keptFrom);
    this.#keptFrom = undefined;
    this.#isUnderstood = false;
    this.#finalAt = this.now();
    return isBegun;
  }
}
