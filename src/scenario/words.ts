/** Words to look for: found whatever their capitals and punctuation. A regular expression, in a file between slashes, is taken as it is. */
export type Words = string | RegExp;

/** Looks for words in what was said. */
export class WordPattern {
  readonly #plain: string | undefined;
  readonly #expression: RegExp | undefined;

  /** @throws SyntaxError for a regular expression that is none */
  constructor(private readonly words: Words) {
    const [, source, flags] = (typeof words === 'string' && /^\/(.+)\/([imsu]*)$/s.exec(words)) || [];
    if (words instanceof RegExp) this.#expression = new RegExp(words.source, words.flags.replace(/[gy]/g, ''));
    else if (source !== undefined) this.#expression = new RegExp(source, flags);
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
    const searched = this.#expression ? text : ` ${bareWords(text)} `;
    const [found, at] = this.#expression
      ? firstMatch(this.#expression, text)
      : [this.#plain ?? '', searched.indexOf(` ${this.#plain} `)];
    if (at < 0) return undefined;
    const length = Math.max(1, searched.length);
    return { from: at / length, to: (at + found.length) / length };
  }

  /** For people. */
  toString(): string {
    return typeof this.words === 'string' ? (this.#expression ? this.words : `"${this.words}"`) : String(this.words);
  }
}

function firstMatch(expression: RegExp, text: string): [found: string, at: number] {
  const match = expression.exec(text);
  return match ? [match[0], match.index] : ['', -1];
}

/** In lower case, without punctuation, a space between two words. */
const bareWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
