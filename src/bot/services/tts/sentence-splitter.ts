/** An answer's first piece may end at a comma when it is this long, in characters: the caller is waiting. */
const MIN_CLAUSE_LENGTH = 25;
/** The same where a character is a syllable or a word. */
const MIN_DENSE_CLAUSE_LENGTH = 10;
/** Longest piece, in characters: text without any sentence end is cut at a word. */
const MAX_PIECE_LENGTH = 250;

/** A full stop after these never ends a sentence. Lower case, without that stop. */
const NEVER_LAST = new Set(
  (
    'dr mr mrs ms prof rev hon st mt gen col sgt capt lt vs approx fig vol sec dept est e.g i.e cf al ' +
    'z.b d.h u.a ca bzw hr fr str tel evtl ggf inkl sr sra srta mme mlle dott sig'
  ).split(' '),
);
/** A full stop after these ends a sentence when the next word begins one. */
const PERHAPS_LAST = new Set(
  'etc inc ltd co corp jr usw jan feb mar apr aug sept sep oct nov dec mon tue wed thu fri'.split(' '),
);
/** Numbered things: no sentence ends between these and a number. */
const BEFORE_NUMBER = new Set('no nos nr art p pp par'.split(' '));

const ENDS_AT_ONCE = /[。！？｡।۔؟]/u;
const DENSE_CLAUSE = /[，、；：]/u;
const CLOSING = /["'”’»)\]*_」』）】〉》]/u;
const SPOKEN = /[\p{L}\p{N}]/u;

/**
 * Cuts a text that arrives piece by piece into sentences, so that the first of it can be spoken before the last is written.
 * The first piece may be a clause. All pieces together are the text, character for character.
 */
export class SentenceSplitter {
  #text = '';
  #isFirst = true;

  /** Takes more text and gives the pieces that are complete. */
  push(text: string): string[] {
    this.#text += text;
    return this.#take();
  }

  /** The text is over: gives the rest, and starts anew. */
  end(): string[] {
    const pieces = this.#take();
    if (this.#text !== '') pieces.push(this.#text);
    this.#text = '';
    this.#isFirst = true;
    return pieces;
  }

  #take(): string[] {
    const pieces: string[] = [];
    for (;;) {
      const length = pieceLength(this.#text, this.#isFirst);
      if (length === 0) return pieces;
      const piece = this.#text.slice(0, length);
      this.#text = this.#text.slice(length);
      if (SPOKEN.test(piece)) this.#isFirst = false;
      pieces.push(piece);
    }
  }
}

/** Length of the piece that the text begins with; 0 while that is not known. */
function pieceLength(text: string, isFirst: boolean): number {
  let hasWords = false;
  for (let at = 0; at < text.length && at < MAX_PIECE_LENGTH; at += 1) {
    const character = text[at] as string;
    if (character === '\n' && hasWords) return spaceEnd(text, at);
    if (ENDS_AT_ONCE.test(character) && hasWords) return spaceEnd(text, closingEnd(text, at + 1));
    if ('.!?…'.includes(character) && hasWords) {
      const end = sentenceEnd(text, at);
      if (end === 'unknown') return text.length < MAX_PIECE_LENGTH ? 0 : longestPiece(text);
      if (end > 0) return end;
    }
    hasWords ||= SPOKEN.test(text.slice(at, at + 2));
    if (isFirst && isClauseEnd(text, at)) return spaceEnd(text, at + 1);
  }
  return text.length >= MAX_PIECE_LENGTH ? longestPiece(text) : 0;
}

/** Where the sentence is over that the mark at `at` may end: 0 when it ends none. */
function sentenceEnd(text: string, at: number): number | 'unknown' {
  if (at > 0 && '.!?…'.includes(text[at - 1] as string)) return 0; // seen with the first mark of the run
  let end = at + 1;
  while (end < text.length && '.!?…'.includes(text[end] as string)) end += 1;
  const marks = text.slice(at, end);
  end = closingEnd(text, end);
  if (end === text.length) return 'unknown';
  if (!/\s/.test(text[end] as string)) return 0;
  const next = spaceEnd(text, end);
  if (/[!?]/.test(marks) || text.slice(end, next).includes('\n')) return next;
  return marks === '.' ? afterFullStop(text, at, next) : afterEllipsis(text, next);
}

/** @param next where the next word begins, or the end of the text so far */
function afterFullStop(text: string, at: number, next: number): number | 'unknown' {
  const word = /[^\s("'“‘«[*_]*$/u.exec(text.slice(0, at))?.[0] ?? '';
  const lower = word.toLowerCase();
  if (NEVER_LAST.has(lower) || (/^\p{Lu}$/u.test(word) && word !== 'I')) return 0;
  const isListNumber = /(^|\n)\s*\d{1,3}$/.test(text.slice(0, at));
  if (isListNumber) return 0;
  if (BEFORE_NUMBER.has(lower)) return next === text.length ? 'unknown' : /\d/.test(text[next] as string) ? 0 : next;
  const isDoubtful = PERHAPS_LAST.has(lower) || /^(\p{L}\.)+\p{L}$/u.test(word) || /^[\d.,]+$/.test(word);
  return isDoubtful ? afterEllipsis(text, next) : next;
}

/** The sentence is over when the next word begins one. */
function afterEllipsis(text: string, next: number): number | 'unknown' {
  if (next === text.length) return 'unknown';
  return /[\p{Lu}\p{Lo}"'“‘«(¿¡*]/u.test(text[next] as string) ? next : 0;
}

function isClauseEnd(text: string, at: number): boolean {
  const character = text[at] as string;
  if (DENSE_CLAUSE.test(character)) return text.slice(0, at).trim().length >= MIN_DENSE_CLAUSE_LENGTH;
  if (!/[,;:–—-]/u.test(character) || at + 1 < MIN_CLAUSE_LENGTH) return false;
  if (!/\s/.test(text[at + 1] ?? '')) return false;
  const isDash = /[–—-]/u.test(character);
  if (isDash && !/\s/.test(text[at - 1] as string)) return false;
  return text.slice(0, at + 1).trim().length >= MIN_CLAUSE_LENGTH;
}

/** A full piece of a text without an end: to the last clause or word in it, and never half a character. */
function longestPiece(text: string): number {
  const piece = text.slice(0, MAX_PIECE_LENGTH);
  const clause = /^.*[,;:–—，、；：]\s/su.exec(piece)?.[0].length ?? 0;
  if (clause >= MAX_PIECE_LENGTH / 2) return clause;
  const words = /^.*\s/s.exec(piece)?.[0].length ?? 0;
  if (words >= MAX_PIECE_LENGTH / 2) return words;
  return /[\uD800-\uDBFF]$/.test(piece) ? MAX_PIECE_LENGTH - 1 : MAX_PIECE_LENGTH;
}

function closingEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && CLOSING.test(text[end] as string)) end += 1;
  return end;
}

function spaceEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && /\s/.test(text[end] as string)) end += 1;
  return end;
}
