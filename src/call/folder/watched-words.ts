import { firstSound, lastSound, type WordTimes } from '../disclosure.js';

/** Where words that the bot has sent stand in a recording, from the first sound to the last. Positions and lengths are in samples. */
export class WatchedWords {
  #from: number | undefined;
  #to = 0;
  #isLost = false;

  /** @param sentBefore what the bot had sent before them */
  constructor(private readonly sentBefore: number) {}

  /** Some of the bot's audio is recorded. @param at the position of its first sample @param playedBefore what was played before it */
  recorded(pcm: Int16Array, at: number, playedBefore: number): void {
    const others = Math.min(pcm.length, Math.max(0, this.sentBefore - playedBefore));
    const words = pcm.subarray(others);
    const first = firstSound(words);
    if (first < 0) return;
    this.#from ??= at + others + first;
    this.#to = Math.max(this.#to, at + others + lastSound(words) + 1);
  }

  /** What stood from `from` up to `to` has been moved. */
  moved(from: number, to: number, by: number): void {
    if (this.#from === undefined) return;
    if (this.#from >= from && this.#from < to) this.#from += by;
    if (this.#to > from && this.#to <= to) this.#to += by;
  }

  /** Some of them is not recorded. */
  lose(): void {
    this.#isLost = true;
  }

  /** Undefined where they are not in the recording as a whole. */
  place(): WordTimes | undefined {
    return this.#isLost || this.#from === undefined ? undefined : { from: this.#from, to: this.#to };
  }
}
