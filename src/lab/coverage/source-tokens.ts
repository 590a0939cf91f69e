/** A piece of JavaScript or TypeScript: as much of the language as it takes to find texts, names and what stands around them. */
export type SourceToken =
  | { readonly kind: 'text'; readonly parts: readonly TextPart[]; readonly line: number }
  | { readonly kind: 'word' | 'number' | 'mark'; readonly text: string; readonly line: number };

/** Of a text: what is written there, or what is put in. `name` where that is a single name, as in `${MENU}`. */
export type TextPart = { readonly fixed: string } | { readonly name: string | undefined };

const WORD = /[\p{L}_$#@][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const MARK = /===|!==|==|!=|=>|\?\?=|\?\?|\?\.|&&|\|\||\.\.\.|\+=|[^\s]/uy;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** A slash behind one of these begins a regular expression, as it does behind most marks. */
const BEFORE_REGEXP = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'void',
  'await',
  'yield',
  'else',
  'do',
  'throw',
]);

/** Cuts a source into tokens, comments left out. What is put into a template literal follows the text, in a pair of parentheses. */
export function tokensOf(source: string): SourceToken[] {
  return new SourceReader(source).read();
}

class SourceReader {
  readonly #tokens: SourceToken[] = [];
  #at = 0;
  #line = 1;

  constructor(private readonly source: string) {}

  /** @param until where a template literal goes on: at its closing brace */
  read(until?: '}'): SourceToken[] {
    let depth = 0;
    while (this.#at < this.source.length) {
      const character = this.source[this.#at] ?? '';
      if (character === '{') depth += 1;
      if (character === '}') {
        if (until && depth === 0) return this.#tokens;
        depth -= 1;
      }
      this.#next(character);
    }
    return this.#tokens;
  }

  #next(character: string): void {
    if (/\s/.test(character)) this.#skip(1);
    else if (this.#match(COMMENT) !== undefined) return;
    else if (character === "'" || character === '"') this.#string(character);
    else if (character === '`') this.#template();
    else if (character === '/' && this.#beginsRegExp() && this.#match(REGEXP) !== undefined) this.#add('mark', '/…/');
    else {
      const line = this.#line;
      const [kind, text] =
        this.#try('word', WORD) ??
        this.#try('number', NUMBER) ??
        this.#try('mark', MARK) ??
        (['mark', character] as const);
      this.#tokens.push({ kind, text, line });
    }
  }

  #string(quote: string): void {
    const line = this.#line;
    const end = new RegExp(`(?:\\\\[\\s\\S]|[^\\\\${quote}\\n])*`, 'y');
    this.#skip(1);
    const raw = this.#match(end) ?? '';
    this.#skip(1);
    this.#tokens.push({ kind: 'text', parts: [{ fixed: unescaped(raw) }], line });
  }

  #template(): void {
    const line = this.#line;
    const parts: TextPart[] = [];
    const inside: SourceToken[] = [];
    this.#skip(1);
    while (this.#at < this.source.length && this.source[this.#at] !== '`') {
      const fixed = this.#match(/(?:\\[\s\S]|\$(?!\{)|[^\\`$])+/y);
      if (fixed !== undefined) parts.push({ fixed: unescaped(fixed) });
      else {
        const before = this.#tokens.length;
        this.#skip(2);
        this.read('}');
        this.#skip(1);
        const put = this.#tokens.splice(before);
        const [only] = put;
        parts.push({ name: put.length === 1 && only?.kind === 'word' ? only.text : undefined });
        inside.push(...put);
      }
    }
    this.#skip(1);
    this.#tokens.push({ kind: 'text', parts, line });
    if (inside.length > 0)
      this.#tokens.push({ kind: 'mark', text: '(', line }, ...inside, { kind: 'mark', text: ')', line });
  }

  #beginsRegExp(): boolean {
    const last = this.#tokens.at(-1);
    if (!last) return true;
    if (last.kind === 'word') return BEFORE_REGEXP.has(last.text);
    return last.kind === 'mark' && !/^[)\]}]$/.test(last.text);
  }

  #add(kind: 'mark', text: string): void {
    this.#tokens.push({ kind, text, line: this.#line });
  }

  #try(kind: 'word' | 'number' | 'mark', pattern: RegExp) {
    const text = this.#match(pattern);
    return text === undefined ? undefined : ([kind, text] as const);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [text] = pattern.exec(this.source) ?? [];
    if (text === undefined || text === '') return undefined;
    this.#skip(text.length);
    return text;
  }

  #skip(count: number): void {
    for (const end = this.#at + count; this.#at < end; this.#at += 1)
      if (this.source[this.#at] === '\n') this.#line += 1;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', b: '', f: '', v: '', '0': '', '\n': '' };

const unescaped = (raw: string): string =>
  raw.replaceAll(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi, (_, long, short, byte, one) => {
    const code = long ?? short ?? byte;
    return code === undefined ? (ESCAPES[one] ?? one) : String.fromCodePoint(Number.parseInt(code, 16));
  });
