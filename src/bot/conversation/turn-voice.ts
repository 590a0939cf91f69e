/** How long a detector needs to hear a voice, about, in milliseconds. */
export const ONSET_MS = 60;
/** A voice shorter than this may have been a breath: no words are waited for because of it, in milliseconds. */
export const BREATH_MS = 200;
/** A voice that says nothing that is understood does not keep the turn for longer than this, in milliseconds. */
const WORDLESS_MS = 6_000;
/** The same after final words, unless the voice has begun behind them and these ears tell no words while they are said. */
const STUCK_MS = 2_500;
/** The same of a voice that the model hears itself: its words are told when it pauses. */
const UNWRITTEN_MS = 60_000;
/** A voice as long as this may be a word, in milliseconds; a click or a breath is shorter. */
const WORD_MS = 220;

/** The caller's voice in one turn, as a detector hears it. Times are monotonic, in milliseconds. */
export class TurnVoice {
  /** When the voice that is heard began. */
  onsetAt = Number.NEGATIVE_INFINITY;
  /** Without a pause, in the whole turn, and since the last words; in milliseconds. */
  unbrokenMs = 0;
  totalMs = 0;
  sinceWordsMs = 0;
  /** How often it has begun. */
  count = 0;
  /** The model hears it itself, whether its words are known or not. */
  isHeardByModel = false;
  /** For how long the detector goes on saying that there is a voice, in milliseconds. */
  hangoverMs = 0;
  /** Since when it has been heard with nothing understood of it; undefined: the last words were behind it. */
  wordlessSince: number | undefined;

  /** Whether it is a turn by itself: the model hears it, and it may have said something. */
  get isTurn(): boolean {
    return this.isHeardByModel && this.totalMs - this.count * this.hangoverMs >= WORD_MS;
  }

  begin(): void {
    const now = performance.now();
    this.onsetAt = now - ONSET_MS;
    this.unbrokenMs = 0;
    this.count += 1;
    this.wordlessSince ??= now;
  }

  hear(ms: number): void {
    this.unbrokenMs += ms;
    this.totalMs += ms;
    this.sinceWordsMs += ms;
  }

  end(): void {
    if (this.sinceWordsMs < BREATH_MS) this.wordlessSince = undefined; // it was the rest of the words
  }

  /** Words have come. @param goesOn whether it is still heard */
  noteWords(goesOn: boolean): void {
    this.sinceWordsMs = 0;
    this.wordlessSince = goesOn ? performance.now() : undefined;
  }

  /** How long it keeps the turn with nothing more understood of it, in milliseconds. @param hasFinals there are final words */
  longestMs(hasFinals: boolean): number {
    if (this.isHeardByModel) return UNWRITTEN_MS;
    return hasFinals ? STUCK_MS : WORDLESS_MS;
  }

  /** How much longer it may go on. */
  wordlessLeftMs(hasFinals: boolean): number {
    const now = performance.now();
    return Math.max(0, (this.wordlessSince ?? now) + this.longestMs(hasFinals) - now);
  }

  /** The turn is over. */
  endTurn(): void {
    this.unbrokenMs = 0;
    this.totalMs = 0;
    this.sinceWordsMs = 0;
    this.count = 0;
    this.wordlessSince = undefined;
  }
}
