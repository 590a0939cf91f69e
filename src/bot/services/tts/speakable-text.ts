import { keyNames } from '../../conversation/key-names.js';
import { spokenKeys } from './spoken-keys.js';

/** Pictures that have no words. The signs of copyright and trade mark are said. */
const PICTURES =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d|\u20e3/gu;
const SAID_PICTURES = '©®™';
/** A list or heading begins otherwise: `* to go back`, `# = repeat`. */
const IS_KEY =
  /^\s*(?:[*#]\s+(?:[=–—:-]|(?:to|for|is|or|and|key|um|für|zum|zur|oder|und|ist|taste|para|o|y|pour|ou|et|est|per|e)\s))/u;
const LINE_MARK = /^\s*(?:>\s*)*(?:[-*+•‣]\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?/u;
/** Emphasis between two of these has a letter in it. */
const SLANTED = /(?<![\p{L}\p{N}*])\*(?![\s'"’”»)\],.;:!?])([^*]*\p{L}[^*]*)(?<!\s)\*(?![\p{L}\p{N}*])/gu;

/**
 * Turns a text into what a voice is to say. It takes out the marks of Markdown (headings, lists, emphasis, code, the addresses of
 * links) and emoji, which models write although no caller sees them, and says `*` and `#` where they are keys of a telephone. For the
 * pieces of one text, in order.
 */
export class SpeakableText {
  readonly #names;
  #isLineStart = true;
  /** Emphasis has begun in a piece and not ended. */
  #isSlanted = false;

  /** @param language of the text, BCP 47; `*` and `#` are left to the voice where voicebot does not know its words for them */
  constructor(language = 'en') {
    this.#names = keyNames(language);
  }

  /** @returns the words of the piece with the spaces around them, or an empty text when nothing of it can be said */
  of(piece: string): string {
    const lines = piece.split('\n');
    const spoken = lines.map((line, index) => this.#spoken(line, index > 0 || this.#isLineStart)).join(' ');
    this.#isLineStart = /\n[ \t]*$/.test(piece) || (this.#isLineStart && piece.trim() === '');
    return /[\p{L}\p{N}]/u.test(spoken) ? spoken.replace(/\s+/g, ' ').replace(/ (?=[.,](?:\s|$))/g, '') : '';
  }

  #spoken(line: string, isLineStart: boolean): string {
    const words = this.#withoutSlant(withoutPairs(isLineStart ? withoutLineMark(line) : line));
    return withoutRest(this.#names ? spokenKeys(words, this.#names) : words);
  }

  /** Without a mark of emphasis that has its other one in another piece. */
  #withoutSlant(line: string): string {
    const ended = this.#isSlanted ? line.replace(/^\*(?=\s)|(?<=\S)\*(?![\p{L}\p{N}])/u, '') : line;
    if (ended !== line) this.#isSlanted = false;
    const begun = ended.replace(/(?<![\p{L}\p{N}*])\*(?=\p{L})/u, '');
    if (begun !== ended) this.#isSlanted = true;
    return begun;
  }
}

/** Without what makes a line a heading, a quotation, an item of a list, a rule, or the edge of a block of code. */
function withoutLineMark(line: string): string {
  if (/^\s*(```|~~~)/.test(line) || /^\s*([-*_]\s*){3,}$/.test(line)) return '';
  return IS_KEY.test(line) ? line : line.replace(LINE_MARK, '');
}

/** Without links, and without marks that come in pairs; a mark behind a backslash is none. */
function withoutPairs(line: string): string {
  return line
    .replace(/([*#\d])\ufe0f?\u20e3/gu, ' $1 ')
    .replace(/\\([*#])/g, ' $1 ')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/\]\(\S*?\)/g, '') // of a link that was cut in two
    .replace(/\*{2,}|__|~~|`+/g, '')
    .replace(SLANTED, '$1');
}

/** Without single marks that stand at a word, and without pictures. */
function withoutRest(line: string): string {
  return line
    .replace(/(?<![\p{L}\p{N}\s])\*|(?<=^|\s)\*(?=\S)|(?<=\S)\*(?=\s|$|\p{P})/gu, '')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}_])/gu, '')
    .replace(PICTURES, (picture) => (SAID_PICTURES.includes(picture) ? picture : ''));
}
