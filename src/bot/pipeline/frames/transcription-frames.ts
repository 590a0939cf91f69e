import type { BotEntry, CallTimeline, HeardBy } from '../../../call/timeline.js';
import { DataFrame } from './frame.js';
import type { Turn } from './turn.js';

/** Words of the caller. Kept by interruptions: these words may be what interrupts. */
abstract class HeardFrame extends DataFrame {
  /** What is still to be noted. */
  #entry: BotEntry | undefined;

  constructor(
    readonly text: string,
    entry: BotEntry | undefined,
  ) {
    super();
    this.#entry = entry;
  }

  override get isInterruptible(): boolean {
    return false;
  }

  /** Notes the words in the call's timeline, once: for whatever takes them. @returns itself */
  notedIn(timeline: CallTimeline | undefined): this {
    if (this.#entry) timeline?.note(this.#entry);
    if (timeline) this.#entry = undefined;
    return this;
  }
}

/** What is known of words that come after their answer was asked for. */
export interface LateWords {
  readonly turn: Turn;
  /** What of them was known before, and is replaced; may be empty. */
  readonly instead: string;
  /** All words of the turn, as far as they are known now, and what was known of them when it was answered. */
  readonly all?: { readonly words: string; readonly known: string };
}

/** Words of the caller that will not change any more. */
export class TranscriptionFrame extends HeardFrame {
  /**
   * @param endsUtterance the vendor has heard the caller stop
   * @param typedAt of words that were typed: when, milliseconds since the Unix epoch
   * @param by of words that something else than the bot's ears has understood: what
   * @param late of words that the model has heard itself, and a turn answers already
   */
  constructor(
    text: string,
    readonly endsUtterance = false,
    typedAt?: number,
    by?: HeardBy,
    readonly late?: LateWords,
  ) {
    const typed = typedAt === undefined ? {} : ({ startedAt: typedAt, typed: true } as const);
    super(text, text === '' ? undefined : { type: 'said', speaker: 'caller', text, ...typed, ...(by && { by }) });
  }
}

/** What the caller seems to be saying since the last final words; replaced by the next of these or by the final ones. */
export class InterimTranscriptionFrame extends HeardFrame {
  constructor(text: string) {
    super(text, { type: 'interim_transcript', text });
  }
}

/**
 * What speech to text that detects the ends of turns says of this one: that it is perhaps over, that it is, or that the caller goes on.
 * A model that takes its turns itself says that it has taken the floor.
 */
export class EndOfTurnFrame extends DataFrame {
  constructor(readonly is: 'likely' | 'certain' | 'revoked' | 'taken') {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}
