const NAMES = ['think', 'thinking', 'reasoning'];
const TAGS = NAMES.flatMap((name) => [`<${name}>`, `</${name}>`]);
const ANY_TAG = /<\s*(\/?)\s*(think|thinking|reasoning)\s*>/i;
/** Longest beginning of a tag that is waited for, in characters: more than any tag has that a model writes. */
const MAX_TAG_LENGTH = 32;

/**
 * Takes out of an answer, piece by piece, what the model thinks: the text within `<think>`, `<thinking>` or `<reasoning>` tags, and
 * the tags. Without an end tag all of the rest is thought. For one answer.
 */
export class ThinkTags {
  /** What has not been given yet: within tags all that may be the beginning of a tag, else as much. */
  #held = '';
  #isInside = false;
  /** All is held back until the end tag comes. */
  #mayHaveBegun: boolean;
  #hasLackedBegin = false;

  /** @param mayHaveBegun whether this model is one whose answers begin within tags that it does not open */
  constructor(mayHaveBegun = false) {
    this.#mayHaveBegun = mayHaveBegun;
  }

  /** Whether an end tag came whose begin tag did not: the model, or its server, has opened it in the prompt. */
  get hasLackedBegin(): boolean {
    return this.#hasLackedBegin;
  }

  /** @returns what is certainly no thought, as far as it has not been given before */
  push(text: string): string {
    this.#held += text;
    let spoken = '';
    for (let tag = ANY_TAG.exec(this.#held); tag; tag = ANY_TAG.exec(this.#held)) {
      const before = this.#held.slice(0, tag.index);
      const isEnd = tag[1] === '/';
      this.#held = this.#held.slice(tag.index + tag[0].length);
      if (isEnd && !this.#isInside) this.#hasLackedBegin = true;
      if (!this.#isInside && !(isEnd && this.#mayHaveBegun)) spoken += before;
      this.#isInside = !isEnd;
      this.#mayHaveBegun = false;
    }
    if (this.#mayHaveBegun) return spoken;
    const keep = beginningOfTag(this.#held);
    if (!this.#isInside) spoken += this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return spoken;
  }

  /** The answer is over. @returns the rest of it */
  end(): string {
    const rest = this.#isInside || beginningOfTag(this.#held) > 1 ? '' : this.#held;
    this.#held = '';
    return rest;
  }
}

/** @returns how many characters at the end may be the beginning of a tag */
function beginningOfTag(text: string): number {
  const at = text.lastIndexOf('<');
  if (at < 0 || text.length - at > MAX_TAG_LENGTH) return 0;
  const written = text.slice(at).replace(/\s/g, '').toLowerCase();
  return TAGS.some((tag) => tag.startsWith(written)) ? text.length - at : 0;
}
