/** Blocks of samples in, frames of a fixed length out. Hands a block that already has that length through uncopied. */
export class SampleQueue {
  #first: Int16Array | undefined;
  /** Behind the first one. */
  #more: Int16Array[] = [];
  /** Samples of the first block that are already taken. */
  #offset = 0;
  #length = 0;

  /** Samples waiting. */
  get length(): number {
    return this.#length;
  }

  push(block: Int16Array): void {
    if (this.#first) this.#more.push(block);
    else this.#first = block;
    this.#length += block.length;
  }

  /** Puts blocks before all others, in their order. */
  putBack(blocks: readonly Int16Array[]): void {
    const [first, ...more] = blocks;
    if (!first) return;
    const next = this.#first?.subarray(this.#offset);
    this.#more = [...more, ...(next ? [next] : []), ...this.#more];
    this.#first = first;
    this.#offset = 0;
    this.#length += blocks.reduce((sum, { length }) => sum + length, 0);
  }

  /** Takes `samples` samples, completed with silence when fewer are waiting. */
  take(samples: number): Int16Array {
    const first = this.#first;
    if (first && this.#offset === 0 && first.length === samples) {
      this.#next();
      this.#length -= samples;
      return first;
    }
    const frame = new Int16Array(samples);
    let filled = 0;
    for (let block = first; block && filled < samples; block = this.#first) {
      const part = block.subarray(this.#offset, this.#offset + samples - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#offset += part.length;
      if (this.#offset === block.length) this.#next();
    }
    this.#length -= filled;
    return frame;
  }

  clear(): void {
    this.#first = undefined;
    this.#more = [];
    this.#offset = 0;
    this.#length = 0;
  }

  #next(): void {
    this.#first = this.#more.length > 0 ? this.#more.shift() : undefined;
    this.#offset = 0;
  }
}
