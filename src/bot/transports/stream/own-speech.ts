import { SampleQueue } from '../../../base/audio/sample-queue.js';

interface WaitingMark {
  readonly name: string;
  /** Samples that go out before it, from now on. */
  at: number;
}

/** What a bot says to a party that hears others too: it waits for its place beside their sound, with the marks behind it. */
export class OwnSpeech {
  readonly #queue = new SampleQueue();
  #marks: WaitingMark[] = [];

  /** Samples that wait. */
  get length(): number {
    return this.#queue.length;
  }

  push(pcm: Int16Array): void {
    this.#queue.push(pcm);
  }

  mark(name: string): void {
    this.#marks.push({ name, at: this.#queue.length });
  }

  /** The next samples, completed with silence; undefined when none wait. */
  take(samples: number): Int16Array | undefined {
    if (this.#queue.length === 0) return undefined;
    const taken = Math.min(samples, this.#queue.length);
    for (const mark of this.#marks) mark.at -= taken;
    return this.#queue.take(samples);
  }

  /** The marks that all has gone out before, in order, once. */
  reached(): string[] {
    const reached = this.#marks.filter(({ at }) => at <= 0);
    this.#marks = this.#marks.slice(reached.length);
    return reached.map(({ name }) => name);
  }

  /** Drops everything. */
  clear(): void {
    this.#queue.clear();
    this.#marks = [];
  }
}
