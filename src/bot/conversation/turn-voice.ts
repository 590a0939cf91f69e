/** How long a detector needs to hear a voice, about, in milliseconds. */
export const ONSET_MS = 60;
/** A voice shorter than this may have been a breath: no words are waited for because of it, in milliseconds. */
export const BREATH_MS = 200;

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
  /** Since when it has been heard with nothing understood of it; undefined: the last words were behind it. */
  wordlessSince: number | undefined;

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

  /** How much longer it may go on with nothing understood of it. @param mostMs in all */
  wordlessLeftMs(mostMs: number): number {
    const now = performance.now();
    return Math.max(0, (this.wordlessSince ?? now) + mostMs - now);
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
