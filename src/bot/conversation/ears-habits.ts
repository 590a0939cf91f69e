import { plainWords } from './plain-words.js';

/** Finals without any mark after which these ears count as such that never punctuate. */
const UNMARKED_FINALS = 2;
/** How many of the last delays count. */
const MOST_DELAYS = 8;
const SENTENCE_END = /[.!?…。！？]["')\]]*$/;

/** What a call teaches about the speech to text that listens in it. */
export class EarsHabits {
  #unmarked = 0;
  #hasMarked = false;
  #hasInterims = false;
  readonly #delaysMs: number[] = [];

  /** @param delayMs how long after the caller's last sound they came, in milliseconds; undefined when that is not known */
  noteFinal(text: string, delayMs: number | undefined): void {
    if (endsSentence(text) || /[,;:]/.test(text)) this.#hasMarked = true;
    else if (plainWords(text) !== '') this.#unmarked += 1;
    if (delayMs === undefined) return;
    this.#delaysMs.push(delayMs);
    if (this.#delaysMs.length > MOST_DELAYS) this.#delaysMs.shift();
  }

  noteInterim(text: string): void {
    this.#hasInterims ||= text.trim() !== '';
  }

  /** Whether they tell words while they are said. */
  get hasInterims(): boolean {
    return this.#hasInterims;
  }

  /** Whether they write full stops; undefined while that is not known. */
  get punctuate(): boolean | undefined {
    if (this.#hasMarked) return true;
    return this.#unmarked >= UNMARKED_FINALS ? false : undefined;
  }

  /** Longest time between the caller's last sound and the final words, of the last turns, in milliseconds; undefined while not known. */
  get delayMs(): number | undefined {
    return this.#delaysMs.length > 0 ? Math.max(...this.#delaysMs) : undefined;
  }
}

/** Whether a text is written as a whole sentence. */
export const endsSentence = (text: string): boolean => SENTENCE_END.test(text.trim());

/** Whether a text ends with a question. */
export const isQuestion = (text: string): boolean => /[?？]["')\]]*$/.test(text.trim());
