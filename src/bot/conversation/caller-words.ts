import { plainWords } from './plain-words.js';

/** Words of a turn that has ended may come so late, in milliseconds. */
const LATE_MS = 3_000;

/** What the caller has said in one turn, as the speech to text tells it: words that will not change, then those that may. */
export class CallerWords {
  #finals: string[] = [];
  #interim = '';
  /** Words of the turn before that were taken before they were final: their final form says nothing new. */
  #owed = '';
  /** All plain words of the turn before, and when that ended; monotonic, in milliseconds. */
  #before = '';
  #endedAt = Number.NEGATIVE_INFINITY;

  get text(): string {
    return [...this.#finals, this.#interim].filter(Boolean).join(' ');
  }

  /** How often final words have come. */
  get finalCount(): number {
    return this.#finals.length;
  }

  get plain(): string {
    return plainWords(this.text);
  }

  /** Whether nothing of it may change. */
  get isFinal(): boolean {
    return this.#finals.length > 0 && this.#interim === '';
  }

  /**
   * Takes final words.
   * @param isNew the caller's voice has been heard since the last words
   * @param isAgain there were more voices in this turn than final words so far
   * @returns whether they say anything that is not known
   */
  addFinal(text: string, isNew: boolean, isAgain = false): boolean {
    this.#forgetLongAgo();
    const isSaidAgain = isAgain && this.#finals.length > 0 && !plainWords(text).includes(' '); // "five", "five"
    const fresh = this.#withoutKnown(text.trim(), isNew || isSaidAgain);
    this.#interim = '';
    if (plainWords(fresh) === '') return false;
    this.#finals.push(fresh);
    return true;
  }

  /** Takes words that may change. @returns whether they say anything that is not known */
  addInterim(text: string, isNew: boolean): boolean {
    this.#forgetLongAgo();
    const words = plainWords(text);
    const beginsKnown = this.#owed !== '' && `${words} `.startsWith(`${this.#owed} `);
    const fresh = beginsKnown ? restAfter(text.trim(), this.#owed) : text.trim();
    if (words !== '' && (fresh === '' || (!isNew && this.#isOld(words)))) return false;
    this.#interim = words === '' ? '' : fresh;
    return true;
  }

  /** The turn is over, and what follows is another. */
  endTurn(): void {
    this.#before = this.plain;
    this.#owed = plainWords(this.#interim);
    this.#endedAt = performance.now();
    this.#clear();
  }

  /** What was said does not count. */
  forget(): void {
    this.#clear();
  }

  #forgetLongAgo(): void {
    if (performance.now() - this.#endedAt <= LATE_MS) return;
    this.#owed = '';
    this.#before = '';
  }

  #clear(): void {
    this.#finals = [];
    this.#interim = '';
  }

  /** What is left of final words without those that are known already; they may come late, twice, and after their turn. */
  #withoutKnown(text: string, isNew: boolean): string {
    const words = plainWords(text);
    const owed = this.#owed;
    this.#owed = '';
    const isOwed = `${words} `.startsWith(`${owed} `) || (!isNew && this.#finals.length === 0);
    if (owed !== '' && isOwed) return restAfter(text, owed);
    return words !== '' && !isNew && this.#isOld(words) ? '' : text;
  }

  /** Whether words that come without a new voice have been told before: in this turn, or in the one before. */
  #isOld(words: string): boolean {
    if (this.#interim !== '') return false;
    if (this.#finals.length > 0) return plainWords(this.#finals.at(-1) ?? '') === words;
    return ` ${this.#before}`.endsWith(` ${words}`);
  }
}

/**
 * What a text says beyond the plain words that are known. One that begins with others is another reading of the same: it goes on behind the
 * last of them, and says nothing new where that is not in it.
 */
function restAfter(text: string, known: string): string {
  const count = known.split(' ').length;
  const words = text.split(/\s+/);
  if (plainWords(words.slice(0, count).join(' ')) === known) return words.slice(count).join(' ');
  const last = words.map(plainWords).lastIndexOf(known.slice(known.lastIndexOf(' ') + 1));
  return last < 0 ? '' : words.slice(last + 1).join(' ');
}
