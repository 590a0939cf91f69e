/** Blocks of samples in, frames of a fixed length out. Hands a block that already has that length through uncopied. */
export class SampleQueue {
  #blocks: Int16Array[] = [];
  /** Samples of the first block that are already taken. */
  #offset = 0;
  #length = 0;

  /** Samples waiting. */
  get length(): number {
    return this.#length;
  }

  push(block: Int16Array): void {
    this.#blocks.push(block);
    this.#length += block.length;
  }

  /** Takes `samples` samples, completed with silence when fewer are waiting. */
  take(samples: number): Int16Array {
    const first = this.#blocks[0];
    if (first && this.#offset === 0 && first.length === samples) {
      this.#blocks.shift();
      this.#length -= samples;
      return first;
    }
    const frame = new Int16Array(samples);
    let filled = 0;
    for (let block = first; block && filled < samples; block = this.#blocks[0]) {
      const part = block.subarray(this.#offset, this.#offset + samples - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#offset += part.length;
      if (this.#offset === block.length) {
        this.#blocks.shift();
        this.#offset = 0;
      }
    }
    this.#length -= filled;
    return frame;
  }

  clear(): void {
    this.#blocks = [];
    this.#offset = 0;
    this.#length = 0;
  }
}
