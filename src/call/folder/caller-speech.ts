/** What is louder counts as speech, of 32767: about -40 dBFS. A line with more noise than that counts as one with speech. */
const LOUD = 330;
/** After so much silence, in milliseconds, the caller begins to speak anew. */
const PAUSE_MS = 2_000;

/** When the caller was heard, by the level of the sound. Times are monotonic, in milliseconds. */
export class CallerSpeech {
  /** When the last stretch of speech began. */
  from = Number.NEGATIVE_INFINITY;
  /** When its last sound was. */
  until = Number.NEGATIVE_INFINITY;

  heard(pcm: Int16Array, now: number): void {
    if (!pcm.some((sample) => Math.abs(sample) > LOUD)) return;
    if (now - this.until > PAUSE_MS) this.from = now;
    this.until = now;
  }
}
