import type { LateWords, Turn } from '../../pipeline/frames/index.js';

export interface CallerItemsListener {
  /** What the caller seems to be saying, in a turn that is not answered. */
  interim(text: string): void;
  /** Words of such a turn that will not change. */
  final(text: string): void;
  /** Words of a turn that is answered already; empty where none is new, and others have changed. */
  late(text: string, late: LateWords): void;
}

interface Item {
  turn: Turn | undefined;
  text: string;
  /** What stands for it in what was told of its turn, and may have changed. */
  interim: string;
  /** Its words will not change. */
  isFinal: boolean;
  isTold: boolean;
}

/** Items that are remembered, at most. */
const MOST_ITEMS = 50;

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
const join = (texts: readonly string[]) =>
  texts
    .map((text) => text.trim())
    .filter(Boolean)
    .join(' ');

/** The pieces of the caller's speech that a session has made, and which turn answers each: their words come when they come. */
export class CallerItems {
  readonly #items = new Map<string, Item>();
  /** Those that were passed over: what is still told of them counts as little. */
  readonly #forgotten = new Set<string>();
  /** The turn that answers what is cut off from now on, until the caller speaks again. */
  #turn: Turn | undefined;
  /** What was told of the turn that is not answered, and will not change. */
  #finals: string[] = [];
  /** Whose words were told last as ones that may change. */
  #open: Item | undefined;
  /** What was told of each turn when it was answered. */
  readonly #known = new WeakMap<Turn, string>();
  /** What was told before another session heard the same again, and has not come again: its words, and of how many items. */
  #before: { readonly words: readonly string[]; readonly items: number } | undefined;

  /** @param doGrow transcripts grow from event to event, and none is the last */
  constructor(
    private readonly doGrow: boolean,
    private readonly listener: CallerItemsListener,
  ) {}

  /** A piece of speech is whole. */
  add(id: string): void {
    this.#of(id);
  }

  /** More words of an item, which may change. */
  addInterim(id: string, delta: string): void {
    const item = this.#of(id);
    if (!item) return;
    item.text += delta;
    if (!item.turn) this.#tellInterim(item);
  }

  /** The words of an item. */
  addTranscript(id: string, text: string): void {
    const item = this.#of(id);
    if (!item) return;
    item.text = text.trim();
    if (!this.doGrow) this.#tell(item);
    else if (!item.turn) this.#tellInterim(item);
  }

  /** The names of the pieces that a turn answers. */
  idsOf(turn: Turn): string[] {
    return [...this.#items].filter(([, item]) => item.turn === turn).map(([id]) => id);
  }

  /** Pieces without words beside others that have some, of what was heard again: they are forgotten. @returns them */
  takeEmpty(): string[] {
    if (!this.#before) return [];
    const ids = [...this.#items]
      .filter(([, { text, isFinal, turn }]) => isFinal && text === '' && turn && this.#wholeOf(turn) !== '')
      .map(([id]) => id);
    this.#forget(ids);
    return ids;
  }

  /** The caller speaks again: what follows is of another turn. */
  begin(): void {
    if (this.#turn) this.#before = undefined;
    this.#turn = undefined;
  }

  /** What the caller has said is being answered. */
  answer(turn: Turn): void {
    if (!this.#known.has(turn)) {
      this.#known.set(turn, join([...this.#finals, this.#open?.interim ?? '']));
      this.#finals = [];
      this.#open = undefined;
    }
    this.#turn = turn;
    for (const item of this.#items.values()) item.turn ??= turn;
  }

  /** What was said before is answered by its turn: its words are all there. */
  settle(): void {
    if (this.doGrow) for (const item of this.#items.values()) if (item.turn && !item.isTold) this.#tell(item);
  }

  /** Forgets what no turn answers. @returns those items */
  passOver(): string[] {
    const ids = [...this.#items].filter(([, { turn }]) => !turn).map(([id]) => id);
    this.#forget(ids);
    this.#finals = [];
    this.#open = undefined;
    this.#before = undefined;
    return ids;
  }

  /** Another session numbers its items anew. @param isHeardAgain it hears what no session has answered */
  clear(isHeardAgain: boolean): void {
    this.settle();
    const told = [...this.#items.values()]
      .filter(({ turn }) => turn === this.#turn)
      .map(({ text, isTold, turn, interim }) => wordsOf(isTold ? text : turn ? interim : ''))
      .filter(({ length }) => length > 0);
    const { words = [], items = 0 } = this.#before ?? {};
    this.#before = isHeardAgain ? { words: [...told.flat(), ...words], items: told.length + items } : undefined;
    this.#open = undefined;
    this.#items.clear();
    this.#forgotten.clear();
  }

  #tellInterim(item: Item): void {
    if (this.#open && this.#open !== item) this.#open.interim = '';
    this.#open = item;
    item.interim = this.#freshOf(item);
    this.listener.interim(item.interim);
  }

  #tell(item: Item): void {
    const { turn, interim, isFinal } = item;
    const text = isFinal ? item.text : this.#freshOf(item);
    if (!isFinal) this.#skip(item);
    item.isFinal = true;
    item.isTold = true;
    if (this.#open === item) this.#open = undefined;
    if (turn) {
      const all = { words: this.#wholeOf(turn), known: this.#known.get(turn) ?? '' };
      this.listener.late(text, { turn, instead: interim, all });
      return;
    }
    if (text !== '') this.#finals.push(text);
    this.listener.final(text);
  }

  /** What is new in an item of what was heard again. */
  #freshOf({ text }: Item): string {
    const { length = 0 } = this.#before?.words ?? {};
    return length === 0 ? text : wordsOf(text).slice(length).join(' ');
  }

  #skip({ text }: Item): void {
    const { words = [], items = 0 } = this.#before ?? {};
    if (items > 0) this.#before = { words: items > 1 ? words.slice(wordsOf(text).length) : [], items: items - 1 };
  }

  /** All words of a turn, as far as they are known: of what is heard again, those of before for those that have not come. */
  #wholeOf(turn: Turn): string {
    const texts = [...this.#items.values()].filter((item) => item.turn === turn).map(({ text }) => text);
    return join([...texts, ...(turn === this.#turn ? (this.#before?.words ?? []) : [])]);
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#items.delete(id);
      this.#forgotten.add(id);
    }
    for (const id of this.#forgotten) if (this.#forgotten.size > MOST_ITEMS) this.#forgotten.delete(id);
  }

  #of(id: string): Item | undefined {
    if (this.#forgotten.has(id)) return undefined;
    const known = this.#items.get(id);
    if (known) return known;
    const item: Item = { turn: this.#turn, text: '', interim: '', isFinal: false, isTold: false };
    this.#items.set(id, item);
    const [oldest] = this.#items.keys();
    if (this.#items.size > MOST_ITEMS && oldest !== undefined) this.#items.delete(oldest);
    return item;
  }
}
