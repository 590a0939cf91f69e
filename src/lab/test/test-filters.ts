import { WordPattern } from '../scenario/words.js';

const EXPRESSION = /^\/.+\/[imsu]*$/s;

/** The value of `--name`: a text to find in names, whatever its capitals, or a regular expression between slashes. */
export class NameFilter {
  readonly #expression: WordPattern | undefined;

  /** @throws Error, for people, where it is empty or no regular expression */
  constructor(readonly typed: string) {
    if (typed.trim() === '') throw new Error('must not be empty');
    try {
      if (EXPRESSION.test(typed)) this.#expression = new WordPattern(typed);
    } catch (error) {
      throw new Error(`is no regular expression: ${(error as Error).message}`);
    }
  }

  fits(name: string): boolean {
    return this.#expression?.isIn(name) ?? name.toLowerCase().includes(this.typed.toLowerCase());
  }

  /** That no scenario fits, as the end of a sentence about one. */
  get missing(): string {
    return this.#expression ? `has a name that ${this.typed} fits` : `has "${this.typed}" in its name`;
  }
}

const TAG = /^!?[A-Za-z0-9._-]+$/;

/** The value of `--tag`: scenarios with any of some tags, and with none of those that have a `!`. */
export class TagFilter {
  /** Any of them; all scenarios where there are none. */
  readonly wanted: readonly string[];
  readonly #unwanted: readonly string[];

  /** @throws Error, for people, where one cannot be a tag */
  constructor(readonly typed: string) {
    const tags = typed.split(',').map((tag) => tag.trim());
    if (tags.some((tag) => !TAG.test(tag)))
      throw new Error('must be tags of letters, digits, "-", "_" and ".", such as menu,!slow');
    this.wanted = tags.filter((tag) => !tag.startsWith('!'));
    this.#unwanted = tags.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1));
  }

  fits(tags: readonly string[]): boolean {
    if (tags.some((tag) => this.#unwanted.includes(tag))) return false;
    return this.wanted.length === 0 || tags.some((tag) => this.wanted.includes(tag));
  }
}

/** A part of all scenarios. `no`: which one, 1 to `of`. */
export interface Shard {
  readonly no: number;
  readonly of: number;
}

const MOST_SHARDS = 1_000;

/** Reads `2/5`. @throws Error, for people */
export function parseShard(typed: string): Shard {
  const [, no, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(typed) ?? []).map(Number);
  if (no !== undefined && of !== undefined && no >= 1 && no <= of && of <= MOST_SHARDS) return { no, of };
  throw new Error(`must be a part of at most ${MOST_SHARDS}, such as 2/5, which is the second of five`);
}
