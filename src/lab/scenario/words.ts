import { ONE_UNSPACED, UNSPACED } from '../../base/unspaced-writing.js';

/**
 * Words to look for: found whatever their capitals and punctuation, also with `'s`, `'ll`, `'re`, `'ve`, `'d` or `'m` behind them: `Luigi` in
 * "Luigi's". A regular expression, in a file between slashes, is taken as it is.
 */
export type Words = string | RegExp;

/** Looks for words in what was said. */
export class WordPattern {
  readonly #plain: string | undefined;
  readonly #expression: RegExp | undefined;

  /** @throws SyntaxError for a regular expression that is none */
  constructor(readonly words: Words) {
    const [, source, flags] = (typeof words === 'string' && /^\/(.+)\/([dgimsuvy]*)\s*$/s.exec(words)) || [];
    // With g and y, what was found before would count.
    const inAnyPlace = (given: string) => given.replace(/[gy]/g, '');
    if (words instanceof RegExp) this.#expression = new RegExp(words.source, inAnyPlace(words.flags));
    else if (source !== undefined) this.#expression = new RegExp(source, inAnyPlace(flags ?? ''));
    else this.#plain = bareWords(words);
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#plain === '';
  }

  isIn(text: string): boolean {
    return this.placeIn(text) !== undefined;
  }

  /** Where in a text the words begin and end, as shares of its length; undefined when they are not in it. */
  placeIn(text: string): { readonly from: number; readonly to: number } | undefined {
    const found = this.#find(text);
    const length = Math.max(1, text.length);
    return found && { from: found.from / length, to: found.to / length };
  }

  /** What of a text comes after the words; undefined when they are not in it. */
  behindIn(text: string): string | undefined {
    const found = this.#find(text);
    return found && text.slice(found.to);
  }

  /** In characters. */
  #find(text: string): { readonly from: number; readonly to: number } | undefined {
    if (this.#expression) {
      const match = this.#expression.exec(text);
      return match ? { from: match.index, to: match.index + match[0].length } : undefined;
    }
    const wanted = this.#plain?.split(' ') ?? [];
    const words = wordsIn(text);
    const at = words.findIndex((_, start) => wanted.every((word, offset) => isWord(words[start + offset], word)));
    const [first, last] = [words[at], words[at + wanted.length - 1]];
    return first && last && { from: first.from, to: last.to };
  }

  /** For people. */
  toString(): string {
    return typeof this.words === 'string' ? (this.#expression ? this.words : `"${this.words}"`) : String(this.words);
  }
}

/** In writing without spaces each character counts as a word. */
const PIECE = new RegExp(`(?!\\p{P})${ONE_UNSPACED}|(?:(?![${UNSPACED}])[^\\s\\p{P}]|['’])+`, 'gu');
const EACH_UNSPACED = new RegExp(ONE_UNSPACED, 'gu');

/** What English writes behind a word without a space. Not `n't`, which makes the word mean its opposite. */
const CLITIC = /['’](?:s|ll|re|ve|d|m)$/iu;

/** A word of a text, with the characters that it stands in. */
interface FoundWord {
  /** As {@link bareWords} gives it. */
  readonly word: string;
  /** The same without a clitic. */
  readonly stem: string | undefined;
  readonly from: number;
  readonly to: number;
}

const isWord = (found: FoundWord | undefined, word: string) => found?.word === word || found?.stem === word;

const wordsIn = (text: string): FoundWord[] =>
  [...text.matchAll(PIECE)].flatMap(({ 0: piece, index }) => {
    const stems = bareWords(piece.replace(CLITIC, '')).split(' ');
    const place = { from: index, to: index + piece.length };
    return bareWords(piece)
      .split(' ')
      .filter(Boolean)
      .map((word, at) => ({ word, stem: stems[at], ...place }));
  });

/** In lower case, without punctuation, a space between two words. */
export const bareWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(EACH_UNSPACED, ' $& ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
