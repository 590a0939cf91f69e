import type { CallTimeline } from '../../../call/timeline.js';

/** Kinds of messages that are told apart; a far end can make up any number. */
const MAX_KINDS = 20;
/** All that come when there are so many. */
const OTHERS = 'others';

/**
 * Counts the messages of a far end that mean nothing to us, and may come as densely as audio: the first of a kind is noted in the
 * call's timeline when it comes, and how many there were when the stream is over.
 */
export class UnusedMessages {
  readonly #counts = new Map<string, { readonly name: string; readonly detail: string; count: number }>();

  constructor(private readonly timeline: CallTimeline | undefined) {}

  count(name: string, detail = ''): void {
    const known = this.#counts.get(`${name} ${detail}`);
    if (known) known.count += 1;
    else if (this.#counts.size < MAX_KINDS) this.#begin(name, detail);
    else if (name !== OTHERS) this.count(OTHERS);
    else this.#begin(name, detail);
  }

  /** The stream is over. */
  tell(): void {
    for (const { name, detail, count } of this.#counts.values()) {
      if (count > 1) this.#note(name, `${detail}${detail && ', '}${count} in all`);
    }
    this.#counts.clear();
  }

  #begin(name: string, detail: string): void {
    this.#counts.set(`${name} ${detail}`, { name, detail, count: 1 });
    this.#note(name, detail);
  }

  #note(name: string, detail: string): void {
    this.timeline?.note({ type: 'wire', direction: 'in', name, ...(detail && { detail }) });
  }
}
