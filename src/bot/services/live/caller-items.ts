import type { Turn } from '../../pipeline/frames/index.js';

export interface CallerItemsListener {
  /** What the caller seems to be saying, in a turn that is not answered. */
  interim(text: string): void;
  /** Words of such a turn that will not change. */
  final(text: string): void;
  /** Words of a turn that is answered already. @param instead what was told of them before */
  late(turn: Turn, text: string, instead: string): void;
}

interface Item {
  turn: Turn | undefined;
  text: string;
  /** What was told of it before its turn was answered, and may have changed. */
  interim: string;
  isTold: boolean;
}

/** Items that are remembered, at most. */
const MOST_ITEMS = 50;

/** The pieces of the caller's speech that a session has made, and which turn answers each: their words come when they come. */
export class CallerItems {
  readonly #items = new Map<string, Item>();
  /** The turn that answers what is cut off from now on, until the caller speaks again. */
  #turn: Turn | undefined;

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
    item.text += delta;
    if (!item.turn) this.#tellInterim(item);
  }

  /** The words of an item. */
  addTranscript(id: string, text: string): void {
    const item = this.#of(id);
    item.text = text.trim();
    if (!this.doGrow) this.#tell(item);
    else if (!item.turn) this.#tellInterim(item);
  }

  /** The caller speaks again: what follows is of another turn. */
  begin(): void {
    this.#turn = undefined;
  }

  /** What the caller has said is being answered. */
  answer(turn: Turn): void {
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
    for (const id of ids) this.#items.delete(id);
    return ids;
  }

  /** Another session numbers its items anew. */
  clear(): void {
    this.settle();
    this.#items.clear();
  }

  #tellInterim(item: Item): void {
    item.interim = item.text;
    this.listener.interim(item.text);
  }

  #tell(item: Item): void {
    item.isTold = true;
    if (item.turn) this.listener.late(item.turn, item.text, item.interim);
    else this.listener.final(item.text);
  }

  #of(id: string): Item {
    const known = this.#items.get(id);
    if (known) return known;
    const item: Item = { turn: this.#turn, text: '', interim: '', isTold: false };
    this.#items.set(id, item);
    const [oldest] = this.#items.keys();
    if (this.#items.size > MOST_ITEMS && oldest !== undefined) this.#items.delete(oldest);
    return item;
  }
}
