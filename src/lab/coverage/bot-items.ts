import { type SourceText, SourceTexts } from './source-texts.js';
import { type SourceToken, tokensOf } from './source-tokens.js';

/** What of a bot a call can touch. */
export type CoverageKind = 'function' | 'transfer' | 'sentence' | 'key' | 'end';

/** One thing that a bot has, or may come to. */
export interface CoverageItem {
  readonly kind: CoverageKind;
  /** For people, such as `How can I help you?`, `opening_hours`, `0`, `transferred`. */
  readonly name: string;
  /** Where it is written; undefined where it is known from calls only. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Of a sentence: what it certainly has, in this order. */
  readonly pieces?: readonly string[];
}

/** What was read of a bot's files. */
export interface BotItems {
  readonly items: readonly CoverageItem[];
  /** Where it says what is no literal: not counted. */
  readonly unread: ReadonlyArray<{ readonly file: string; readonly line: number }>;
}

/** Options of which the value is said. */
const SAID = new Set(['greeting', 'announce', 'goodbye', 'say', 'sayWhileRunning', 'voicemail', 'idle', 'prompts']);
const TRANSFERS = new Set(['transfer', 'transferTo', 'transferTool']);
const ENDS = new Set(['hangUp', 'endCall', 'endCallTool', 'goodbye']);
const KEY_NAME = /(key|keys|digit|digits|dtmf)$/i;
const KEYS = /^[\d*#]{1,20}$/;

/** Reads what a bot has from its files, without running it. @param files by absolute path */
export function botItems(files: ReadonlyMap<string, string>): BotItems {
  const items: CoverageItem[] = [];
  const unread: Array<{ file: string; line: number }> = [];
  for (const [file, source] of files) {
    const reading = new FileReading(file, tokensOf(source));
    items.push(...reading.items());
    unread.push(...reading.unread.map((line) => ({ file, line })));
  }
  if (items.some(({ kind }) => kind === 'transfer')) items.push(end('transferred', items));
  items.push({ kind: 'end', name: 'caller_hung_up', file: undefined, line: undefined });
  return { items: onceEach(items), unread: onceEachPlace(unread) };
}

/** Where the first transfer is written. */
function end(name: string, items: readonly CoverageItem[]): CoverageItem {
  const { file, line } = items.find(({ kind }) => kind === 'transfer') ?? { file: undefined, line: undefined };
  return { kind: 'end', name, file, line };
}

class FileReading {
  readonly unread: number[] = [];
  readonly #texts: SourceTexts;
  readonly #items: CoverageItem[] = [];

  constructor(
    private readonly file: string,
    private readonly tokens: readonly SourceToken[],
  ) {
    this.#texts = new SourceTexts(tokens);
  }

  items(): readonly CoverageItem[] {
    for (const [at, token] of this.tokens.entries()) {
      if (token.kind === 'text') this.#key(token, at);
      if (token.kind !== 'word') continue;
      const { text: name, line } = token;
      const isCalled = this.#is(at + 1, '(') || (this.#is(at + 1, '?.') && this.#is(at + 2, '('));
      const isOption = this.#is(at + 1, ':') && !this.#isTyped(at);
      if (name === 'say' && isCalled && this.#is(at - 1, '.')) this.#say(at + (this.#is(at + 1, '(') ? 2 : 3));
      if (SAID.has(name) && isOption) this.#option(name, at + 2);
      if (name === 'tools' && isOption) this.#functions(at + 2);
      if (TRANSFERS.has(name) && isCalled && (name !== 'transfer' || this.#is(at - 1, '.'))) this.#transfer(line);
      if (ENDS.has(name) && (isCalled || isOption)) this.#add('end', 'bot_ended', line);
      if (name === 'voicemail' && isOption) this.#add('end', 'voicemail', line);
      if (this.#is(at + 1, '[')) this.#menu(name, at + 2);
    }
    return this.#items;
  }

  /** What is given to `say`: what is no text may be a sound. */
  #say(at: number): void {
    if (this.#is(at, ')')) return;
    const { texts, unread } = this.#texts.in(at);
    for (const text of texts) this.#sentences(text);
    this.unread.push(...unread);
  }

  #option(name: string, at: number): void {
    const elements = this.#texts.elements(at);
    if (elements) for (const element of elements) this.#say(element);
    else if (!this.#is(at, '{')) this.#say(at);
    else if (name === 'voicemail') this.#message(at);
  }

  /** `voicemail: { message: 'Please call us back.' }` */
  #message(open: number): void {
    for (const at of this.#fieldsIn(open)) {
      const token = this.tokens[at];
      if (token?.kind === 'word' && token.text === 'message' && this.#is(at + 1, ':')) this.#say(at + 2);
    }
  }

  /** `tools: { opening_hours: { … }, end_call: endCall() }` */
  #functions(open: number): void {
    if (!this.#is(open, '{')) return;
    for (const at of this.#fieldsIn(open)) {
      const token = this.tokens[at];
      const name = token?.kind === 'word' ? token.text : token?.kind === 'text' ? fixedText(token) : undefined;
      if (token && name && !this.#is(at, '...')) this.#add('function', name, token.line);
    }
  }

  /** The first token of each field of an object. */
  #fieldsIn(open: number): number[] {
    const fields: number[] = [];
    let depth = 0;
    for (let at = open; at < this.tokens.length; at += 1) {
      const token = this.tokens[at];
      const mark = token?.kind === 'mark' ? token.text : '';
      if (/^[([{]$/.test(mark)) depth += 1;
      if (/^[)\]}]$/.test(mark)) depth -= 1;
      if (depth === 0) break;
      const before = this.tokens[at - 1];
      const isFirst = before?.kind === 'mark' && (before.text === ',' || (before.text === '{' && at - 1 === open));
      if (depth === 1 && isFirst && !/^[([{}\])]$/.test(mark)) fields.push(at);
    }
    return fields;
  }

  #transfer(line: number): void {
    this.#add('transfer', 'answered', line);
    this.#add('transfer', 'not answered', line);
  }

  /** `key === '1'`, `'1' === key`, `case '1':` in a `switch` over keys. */
  #key(token: Extract<SourceToken, { kind: 'text' }>, at: number): void {
    const text = fixedText(token);
    if (text === undefined || !KEYS.test(text)) return;
    const compares = (mark: number) =>
      this.#is(mark, '===') || this.#is(mark, '==') || this.#is(mark, '!==') || this.#is(mark, '!=');
    const isCompared =
      (compares(at - 1) && this.#isKeyName(at - 2)) || (compares(at + 1) && this.#isKeyName(this.#lastName(at + 2)));
    const before = this.tokens[at - 1];
    const isCase = before?.kind === 'word' && before.text === 'case' && this.#isSwitchOverKeys(at);
    if (isCompared || isCase) this.#add('key', text, token.line);
  }

  #isKeyName(at: number): boolean {
    const token = this.tokens[at];
    return token?.kind === 'word' && KEY_NAME.test(token.text);
  }

  /** Of `heard?.keys` the last one. */
  #lastName(at: number): number {
    return this.#is(at + 1, '.') || this.#is(at + 1, '?.') ? this.#lastName(at + 2) : at;
  }

  #isSwitchOverKeys(at: number): boolean {
    for (let from = at; from >= 0; from -= 1) {
      const token = this.tokens[from];
      if (token?.kind !== 'word' || token.text !== 'switch') continue;
      let to = from + 1;
      while (to < at && !this.#is(to, '{')) to += 1;
      return this.tokens.slice(from, to).some((one) => one.kind === 'word' && KEY_NAME.test(one.text));
    }
    return false;
  }

  /** `MENU[keys]`: the fields of the object that `MENU` is. */
  #menu(name: string, index: number): void {
    let to = index;
    while (to < this.tokens.length && !this.#is(to, ']')) to += 1;
    if (!this.tokens.slice(index, to).some((one) => one.kind === 'word' && KEY_NAME.test(one.text))) return;
    for (const open of this.#texts.givenTo(name)) {
      if (!this.#is(open, '{')) continue;
      for (const at of this.#fieldsIn(open)) {
        const token = this.tokens[at];
        const key = token?.kind === 'text' ? fixedText(token) : token?.kind === 'number' ? token.text : undefined;
        if (token && key !== undefined && KEYS.test(key)) this.#add('key', key, token.line);
      }
    }
  }

  #sentences({ pieces, line }: SourceText): void {
    for (const sentence of sentencesIn(pieces)) {
      const hasLetters = sentence.some((piece) => /\p{L}/u.test(piece));
      if (hasLetters)
        this.#items.push({ kind: 'sentence', name: sentence.join('…'), file: this.file, line, pieces: sentence });
      else if (sentence.length > 1) this.unread.push(line);
    }
  }

  /** `greeting: string` of an interface or a parameter, not of an object. */
  #isTyped(at: number): boolean {
    const value = this.tokens[at + 2];
    const behind = this.tokens[at + 3];
    const isType = value?.kind === 'word' && /^(string|boolean|number|unknown|readonly)$/.test(value.text);
    return isType && behind?.kind === 'mark' && /^[;,)|}[=]$/.test(behind.text);
  }

  #add(kind: CoverageKind, name: string, line: number): void {
    this.#items.push({ kind, name, file: this.file, line });
  }

  readonly #is = (at: number, mark: string): boolean => {
    const token = this.tokens[at];
    return token?.kind === 'mark' && token.text === mark;
  };
}

/** What is put in, between two fixed pieces. */
const HOLE = '\0';
/** Behind the end of a sentence, and behind what is put in where a sentence might stand. */
const SENTENCE_END = /(?<=[.!?…])\s+|(?<=(?:^|[.!?…]\s+)\0)\s+(?=[\p{Lu}\0])/u;

/** The sentences of a text, each with its fixed pieces. One of which nothing is fixed has empty pieces only. */
const sentencesIn = (pieces: readonly string[]): string[][] =>
  pieces
    .join(HOLE)
    .trim()
    .split(SENTENCE_END)
    .map((sentence) => sentence.split(HOLE).map((piece) => piece.trim()));

const fixedText = ({ parts }: Extract<SourceToken, { kind: 'text' }>): string | undefined => {
  const [part, ...others] = parts;
  return part && 'fixed' in part && others.length === 0 ? part.fixed : undefined;
};

/** The same sentence may be said in several places, and a transfer asked for in several: the first counts. */
function onceEach(items: readonly CoverageItem[]): CoverageItem[] {
  const byName = new Map<string, CoverageItem>();
  for (const item of items) {
    const key = `${item.kind} ${item.name}`;
    if (!byName.has(key)) byName.set(key, item);
  }
  return [...byName.values()];
}

function onceEachPlace(places: ReadonlyArray<{ readonly file: string; readonly line: number }>) {
  return [...new Map(places.map((place) => [`${place.file}:${place.line}`, place])).values()];
}
