import { UNSPACED } from './unspaced-writing.js';

/** A word of a text as it is written, with the marks on it. */
export interface WrittenWord {
  readonly text: string;
  /** Where it begins in the text. */
  readonly from: number;
  /** What stands between it and the next: nothing in writing without spaces. */
  readonly space: '' | ' ';
}

const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
/** Marks that belong to the word behind them. */
const OPENING = /^[\p{Ps}\p{Pi}¿¡\p{Sc}]+$/u;
/** Marks that belong to the word behind them at first, and to the word before them the next time. */
const STRAIGHT_QUOTE = /^["']$/;
const IS_BEFORE_WORD = /^["'\p{Ps}\p{Pi}]*[\p{L}\p{N}]/u;
const CLOSED_UP = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\uFF01-\\uFF60';
const ENDS_CLOSED_UP = new RegExp(`[${CLOSED_UP}]$`, 'u');
const BEGINS_CLOSED_UP = new RegExp(`^[${CLOSED_UP}]`, 'u');

let segmenter: Intl.Segmenter | undefined;

/** The words of a text. Writing without spaces is taken apart by the dictionaries of the Unicode library. */
export function writtenWords(text: string): readonly WrittenWord[] {
  return [...text.matchAll(/\S+/g)].flatMap(({ 0: token, index }): WrittenWord[] => {
    if (!IS_UNSPACED.test(token)) return [{ text: token, from: index, space: ' ' }];
    const parts = segmentsOf(token);
    return parts.map(({ text, from }, at) => ({
      text,
      from: index + from,
      space: at === parts.length - 1 ? ' ' : '',
    }));
  });
}

/** Whether a text is in writing without spaces. */
export const isUnspaced = (text: string): boolean => IS_UNSPACED.test(text);

/** What stands between two pieces of a text that were written one after the other. */
export const spaceBetween = (before: string, after: string): '' | ' ' =>
  ENDS_CLOSED_UP.test(before) && BEGINS_CLOSED_UP.test(after) ? '' : ' ';

/** Pieces of a text as one, without those that are empty. */
export function joinPieces(pieces: readonly string[]): string {
  const [first = '', ...others] = pieces.map((piece) => piece.trim()).filter(Boolean);
  return others.reduce((all, piece) => all + spaceBetween(all, piece) + piece, first);
}

function segmentsOf(token: string): Array<{ text: string; from: number }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const words: Array<{ text: string; from: number }> = [];
  const quotes = new Set<string>();
  let isOpening = false;
  for (const { segment, index, isWordLike } of segmenter.segment(token)) {
    const last = words.at(-1);
    const rest = token.slice(index + segment.length);
    const isQuote = STRAIGHT_QUOTE.test(segment) && !quotes.delete(segment) && IS_BEFORE_WORD.test(rest);
    if (isQuote) quotes.add(segment);
    const opens = isQuote || OPENING.test(segment);
    const isNew = !last || (!isOpening && (isWordLike === true || opens));
    if (isNew) words.push({ text: segment, from: index });
    else last.text += segment;
    isOpening = opens || (isOpening && isWordLike !== true);
  }
  return words;
}
