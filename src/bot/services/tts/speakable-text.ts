/** Pictures that have no words. The signs of copyright and trade mark are said. */
const PICTURES =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d|\u20e3/gu;
const SAID_PICTURES = '©®™';

/**
 * Takes out of a text what is not to be spoken: the marks of Markdown (headings, lists, emphasis, code, the addresses of
 * links) and emoji. Models write them although no caller sees them. For the pieces of one text, in order.
 */
export class SpeakableText {
  #isLineStart = true;

  /** @returns the words of the piece with the spaces around them, or an empty text when nothing of it can be said */
  of(piece: string): string {
    const lines = piece.split('\n');
    const spoken = lines
      .map((line, index) => withoutMarks(index > 0 || this.#isLineStart ? withoutLineMark(line) : line))
      .join(' ');
    this.#isLineStart = /\n[ \t]*$/.test(piece) || (this.#isLineStart && piece.trim() === '');
    return /[\p{L}\p{N}]/u.test(spoken) ? spoken.replace(/\s+/g, ' ').replace(/ (?=[.,](?:\s|$))/g, '') : '';
  }
}

/** Without what makes a line a heading, a quotation, an item of a list, a rule, or the edge of a block of code. */
function withoutLineMark(line: string): string {
  if (/^\s*(```|~~~)/.test(line) || /^\s*([-*_]\s*){3,}$/.test(line)) return '';
  return line.replace(/^\s*(?:#{1,6}\s+|(?:>\s*)+|[-*+•‣]\s+(?:\[[ xX]\]\s+)?)+/u, '');
}

function withoutMarks(line: string): string {
  return line
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/\]\(\S*?\)/g, '') // of a link that was cut in two
    .replace(/\*\*|__|~~|`+/g, '')
    .replace(/(?<![\p{L}\p{N}\s])\*|(?<=^|\s)\*(?=\S)|(?<=\S)\*(?=\s|$|\p{P})/gu, '')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}_])/gu, '')
    .replace(PICTURES, (picture) => (SAID_PICTURES.includes(picture) ? picture : ''));
}
