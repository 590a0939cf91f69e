import {
  fieldOf,
  fieldsOf,
  fixedText,
  lastName,
  lineOf,
  nodesIn,
  nodesOf,
  type ObjectField,
  type PlacedNode,
  type SourceNode,
  untyped,
} from './source-nodes.js';
import { type SourceText, SourceTexts } from './source-texts.js';

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
    const reading = new FileReading(file, source);
    items.push(...reading.items);
    unread.push(...reading.unread.map((line) => ({ file, line })));
  }
  // It is written where the first transfer is.
  const transfer = items.find(({ kind }) => kind === 'transfer');
  if (transfer) items.push({ ...transfer, kind: 'end', name: 'transferred' });
  items.push({ kind: 'end', name: 'caller_hung_up', file: undefined, line: undefined });
  return { items: onceEach(items), unread: onceEachPlace(unread) };
}

class FileReading {
  readonly items: CoverageItem[] = [];
  readonly unread: number[] = [];
  readonly #texts: SourceTexts;

  constructor(
    private readonly file: string,
    source: string,
  ) {
    const { nodes, faults } = nodesOf(file, source);
    this.#texts = new SourceTexts(nodes);
    this.unread.push(...faults);
    for (const placed of nodes) this.#node(placed);
  }

  #node([node, parent]: PlacedNode): void {
    switch (node.type) {
      case 'CallExpression':
      case 'OptionalCallExpression':
        this.#call(untyped(node.callee), node.arguments[0]);
        return;
      case 'ObjectProperty':
        // Where a pattern takes an object apart, nothing is said.
        if (parent?.type === 'ObjectExpression') for (const field of fieldOf(node)) this.#option(field);
        return;
      case 'BinaryExpression':
        if (/^[!=]==?$/.test(node.operator)) this.#comparison(node.left, node.right);
        return;
      case 'SwitchCase':
        if (node.test && parent?.type === 'SwitchStatement' && namesKeys(parent.discriminant)) this.#key(node.test);
        return;
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        if (node.computed && namesKeys(node.property)) this.#menu(node.object);
    }
  }

  #call(callee: SourceNode, argument: SourceNode | undefined): void {
    const name = lastName(callee) ?? '';
    const line = lineOf('property' in callee ? callee.property : callee);
    const isMethod = callee.type !== 'Identifier';
    if (name === 'say' && isMethod && argument) this.#say(argument);
    if (TRANSFERS.has(name) && (name !== 'transfer' || isMethod)) this.#transfer(line);
    if (ENDS.has(name)) this.#add('end', 'bot_ended', line);
  }

  /** What is given to `say`: what is no text may be a sound. */
  #say(argument: SourceNode): void {
    const { texts, unread } = this.#texts.in(argument);
    for (const text of texts) this.#sentences(text);
    this.unread.push(...unread);
  }

  #option({ name, line, value }: ObjectField): void {
    if (SAID.has(name)) for (const said of saidBy(name, untyped(value))) this.#say(said);
    if (name === 'tools') for (const field of fieldsOf(value)) this.#add('function', field.name, field.line);
    if (ENDS.has(name)) this.#add('end', 'bot_ended', line);
    if (name === 'voicemail') this.#add('end', 'voicemail', line);
  }

  #transfer(line: number): void {
    this.#add('transfer', 'answered', line);
    this.#add('transfer', 'not answered', line);
  }

  /** `key === '1'`, `'1' === heard?.keys` */
  #comparison(left: SourceNode, right: SourceNode): void {
    if (KEY_NAME.test(lastName(untyped(left)) ?? '')) this.#key(right);
    if (KEY_NAME.test(lastName(untyped(right)) ?? '')) this.#key(left);
  }

  #key(node: SourceNode): void {
    const text = fixedText(node);
    if (text !== undefined && KEYS.test(text)) this.#add('key', text, lineOf(node));
  }

  /** `MENU[keys]`: the fields of the object that `MENU` is. */
  #menu(node: SourceNode): void {
    for (const { name, line } of this.#texts.givenTo(untyped(node)).flatMap(fieldsOf))
      if (KEYS.test(name)) this.#add('key', name, line);
  }

  #sentences({ pieces, line }: SourceText): void {
    for (const sentence of sentencesIn(pieces)) {
      const hasLetters = sentence.some((piece) => /\p{L}/u.test(piece));
      if (hasLetters)
        this.items.push({ kind: 'sentence', name: sentence.join('…'), file: this.file, line, pieces: sentence });
      else if (sentence.length > 1) this.unread.push(line);
    }
  }

  #add(kind: CoverageKind, name: string, line: number): void {
    this.items.push({ kind, name, file: this.file, line });
  }
}

/** Of an option: one text, several in a list, or `voicemail: { message: 'Please call us back.', screening: { reason: 'Bluebird Bakery.' } }`. */
function saidBy(name: string, value: SourceNode): readonly SourceNode[] {
  if (value.type === 'ArrayExpression') return value.elements.filter((element) => element !== null);
  if (value.type !== 'ObjectExpression') return [value];
  const fields = name === 'voicemail' ? fieldsOf(value) : [];
  const screening = fields.filter((field) => field.name === 'screening').flatMap((field) => fieldsOf(field.value));
  const texts = [
    ...fields.filter(({ name }) => name === 'message'),
    ...screening.filter(({ name }) => name === 'reason'),
  ];
  return texts.map((field) => field.value);
}

const namesKeys = (root: SourceNode): boolean =>
  nodesIn(root).some(([node]) => node.type === 'Identifier' && KEY_NAME.test(node.name));

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
