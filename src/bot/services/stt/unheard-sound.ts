/** Longest sound that is kept, in milliseconds. */
const LONGEST_MS = 10_000;

/** What the caller has said and no final words are of: ears that take the place of others get it again. */
export class UnheardSound {
  readonly #samplesPerMs: number;
  readonly #chunks: Int16Array[] = [];
  /** Positions in the sound of the call, in samples: of the first that is kept, and behind the last. */
  #start = 0;
  #end = 0;
  /** Where the sound that the present ears have got began. */
  #origin = 0;

  constructor(sampleRate: number) {
    this.#samplesPerMs = sampleRate / 1_000;
  }

  /** The next of the caller's sound; the oldest gives way. */
  push(pcm: Int16Array): void {
    this.#chunks.push(pcm.slice());
    this.#end += pcm.length;
    this.#dropBefore(this.#end - LONGEST_MS * this.#samplesPerMs);
  }

  /** There are final words. @param untilMs of how much of what the present ears have got; undefined: of all of it */
  heard(untilMs: number | undefined): void {
    this.#dropBefore(untilMs === undefined ? this.#end : this.#origin + Math.round(untilMs * this.#samplesPerMs));
  }

  /** What other ears are given first, oldest first. */
  forOthers(): readonly Int16Array[] {
    this.#origin = this.#start;
    return [...this.#chunks];
  }

  #dropBefore(position: number): void {
    let first = this.#chunks[0];
    while (first && this.#start + first.length <= position) {
      this.#start += first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
    if (!first || position <= this.#start) return;
    this.#chunks[0] = first.subarray(position - this.#start);
    this.#start = position;
  }
}
