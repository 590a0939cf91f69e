import type { SourceToken, TextPart } from './source-tokens.js';

/** A text that an expression may come to. */
export interface SourceText {
  /** Its fixed pieces; between two of them stands what is put in. */
  readonly pieces: readonly string[];
  readonly line: number;
}

/** What was read of an expression. */
export interface TextsRead {
  readonly texts: readonly SourceText[];
  /** Lines of parts that are no literals: what they come to is not known before the bot runs. */
  readonly unread: readonly number[];
}

const OPEN = new Set(['(', '[', '{']);
const CLOSE = new Set([')', ']', '}']);
/** Between the values of which an expression comes to one. */
const BRANCH = new Set(['?', ':', '??', '||', '&&']);
const COMPARES = new Set(['===', '!==', '==', '!=', '<', '>', '!']);
const NOTHING = new Set(['undefined', 'null', 'true', 'false']);
/** Names of names of names are followed so far. */
const MOST_NAMES = 5;

const markOf = (token: SourceToken | undefined): string => (token?.kind === 'mark' ? token.text : '');

/** A name, and not a field of another one, a function that is called, or an object of which a field is taken. */
const isAlone = (segment: readonly SourceToken[], at: number): boolean =>
  !/^\??\.$/.test(markOf(segment[at - 1])) && !/^(\??\.|[([])$/.test(markOf(segment[at + 1]));

/** Finds the texts in the expressions of one file. */
export class SourceTexts {
  /** Where values are given to a name. */
  readonly #given = new Map<string, number[]>();

  constructor(private readonly tokens: readonly SourceToken[]) {
    for (const [at, token] of tokens.entries()) {
      if (!this.#is(at + 1, '=') || token.kind !== 'word') continue;
      // Not a field of an object, whose name others may have too.
      if (this.#is(at - 1, '.')) continue;
      this.#given.set(token.text, [...(this.#given.get(token.text) ?? []), at + 2]);
    }
    this.#noteTyped();
  }

  /** @param from the first token of an expression; it goes on to a comma, a semicolon, or the end of what it stands in */
  in(from: number): TextsRead {
    return this.#read(from, MOST_NAMES);
  }

  /** The first token of each element of a list; undefined for what is none. */
  elements(from: number): number[] | undefined {
    if (!this.#is(from, '[')) return undefined;
    const found: number[] = [];
    for (let at = from + 1; at < this.tokens.length && !this.#is(at, ']'); at = this.#end(at) + 1) {
      found.push(at);
      if (this.#is(this.#end(at), ']')) break;
    }
    return found;
  }

  /** The first tokens of the values that a name is given. */
  givenTo(name: string): readonly number[] {
    return this.#given.get(name) ?? [];
  }

  #read(from: number, names: number): TextsRead {
    const texts: SourceText[] = [];
    const unread: number[] = [];
    for (const [segment, isCondition] of this.#segments(from, this.#end(from))) {
      if (isCondition || segment.length === 0) continue;
      const [only] = segment;
      if (segment.length === 1 && only?.kind === 'word') {
        if (NOTHING.has(only.text)) continue;
        const values = names > 0 ? this.givenTo(only.text) : [];
        const read = values.map((at) => this.#read(at, names - 1));
        texts.push(...read.flatMap((one) => one.texts));
        unread.push(...(values.length === 0 ? [only.line] : read.flatMap((one) => one.unread)));
        continue;
      }
      const text = this.#joined(segment, names);
      if (text?.pieces.some((piece) => /\p{L}/u.test(piece))) texts.push(text);
      else unread.push(only?.line ?? 0);
    }
    return { texts, unread };
  }

  /** Parts that are joined by `+`: one text, with its first line. */
  #joined(segment: readonly SourceToken[], names: number): SourceText | undefined {
    const pieces = [''];
    const put = () => (pieces.length === 1 || pieces.at(-1) !== '') && pieces.push('');
    let hasText = false;
    const addPart = (part: TextPart) => {
      const known = 'fixed' in part ? [part.fixed] : this.#constant(part.name, names);
      if (known)
        for (const [at, piece] of known.entries())
          at === 0 ? pieces.push(`${pieces.pop()}${piece}`) : pieces.push(piece);
      else put();
    };
    let depth = 0;
    for (const [at, token] of segment.entries()) {
      const mark = token.kind === 'mark' ? token.text : '';
      if (OPEN.has(mark) && depth === 0 && markOf(segment[at - 1]) === '+') put();
      if (OPEN.has(mark)) depth += 1;
      if (CLOSE.has(mark)) depth -= 1;
      if (depth > 0) continue;
      if (token.kind === 'text') {
        hasText = true;
        for (const part of token.parts) addPart(part);
      } else if (token.kind !== 'mark') addPart({ name: isAlone(segment, at) ? token.text : undefined });
      else if (!['+', '(', ')', '[', ']', '.', '?.'].includes(mark)) return undefined;
    }
    return hasText ? { pieces, line: segment[0]?.line ?? 0 } : undefined;
  }

  /** The pieces of a name that is given one text, and no other. */
  #constant(name: string | undefined, names: number): readonly string[] | undefined {
    const [at, ...others] = name === undefined ? [] : this.givenTo(name);
    if (at === undefined || others.length > 0 || names === 0) return undefined;
    const { texts, unread } = this.#read(at, names - 1);
    return texts.length === 1 && unread.length === 0 ? texts[0]?.pieces : undefined;
  }

  /** The values that an expression may come to, and the conditions that decide. */
  #segments(from: number, to: number): Array<[tokens: SourceToken[], isCondition: boolean]> {
    const segments: Array<[SourceToken[], boolean]> = [];
    let segment: SourceToken[] = [];
    let [depth, compares] = [0, false];
    for (let at = from; at < to; at += 1) {
      const token = this.tokens[at];
      if (!token) break;
      const mark = token.kind === 'mark' ? token.text : '';
      if (OPEN.has(mark)) depth += 1;
      if (CLOSE.has(mark)) depth -= 1;
      if (depth === 0 && BRANCH.has(mark)) {
        segments.push([segment, compares || mark === '?' || mark === '&&']);
        [segment, compares] = [[], false];
        continue;
      }
      if (depth === 0 && COMPARES.has(mark)) compares = true;
      segment.push(token);
    }
    return [...segments, [segment, compares]];
  }

  /** The token behind an expression. */
  #end(from: number): number {
    let depth = 0;
    for (let at = from; at < this.tokens.length; at += 1) {
      const token = this.tokens[at];
      if (depth === 0 && at > from && this.#beginsLine(at)) return at;
      if (token?.kind !== 'mark') continue;
      if (depth === 0 && (token.text === ',' || token.text === ';' || CLOSE.has(token.text))) return at;
      if (depth === 0 && at > from && this.#beginsStatement(at)) return at;
      if (OPEN.has(token.text)) depth += 1;
      if (CLOSE.has(token.text)) depth -= 1;
    }
    return this.tokens.length;
  }

  /** Without semicolons a value ends with its line, unless that ends or the next one begins with an operator. */
  #beginsLine(at: number): boolean {
    const [before, token] = [this.tokens[at - 1], this.tokens[at]];
    const goesOn = before?.kind === 'mark' && !CLOSE.has(before.text);
    return token !== undefined && before !== undefined && token.kind !== 'mark' && token.line > before.line && !goesOn;
  }

  /** A block behind an expression is not part of it: `while (x) {`. */
  readonly #beginsStatement = (at: number): boolean =>
    this.#is(at, '{') && this.tokens[at - 1]?.kind !== 'mark' && !this.#is(at - 1, '(');

  /** `const NAME: string = 'text'` */
  #noteTyped(): void {
    for (const [at, token] of this.tokens.entries()) {
      if (token.kind !== 'word' || !/^(const|let)$/.test(token.text) || !this.#is(at + 2, ':')) continue;
      const name = this.tokens[at + 1];
      let end = at + 3;
      while (end < at + 30 && !this.#is(end, '=') && !this.#is(end, ';')) end += 1;
      if (name?.kind === 'word' && this.#is(end, '=') && !this.givenTo(name.text).includes(end + 1))
        this.#given.set(name.text, [...this.givenTo(name.text), end + 1]);
    }
  }

  readonly #is = (at: number, mark: string): boolean => {
    const token = this.tokens[at];
    return token?.kind === 'mark' && token.text === mark;
  };
}
