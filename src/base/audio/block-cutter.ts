/** Cuts a stream of samples into blocks of one length, however they arrive. */
export class BlockCutter {
  readonly #block: Int16Array;
  #fill = 0;

  /** @param length samples of a block */
  constructor(length: number) {
    this.#block = new Int16Array(length);
  }

  /** @param onBlock called once for each block that is complete now; the block is written over afterwards */
  cut(pcm: Int16Array, onBlock: (block: Int16Array) => void): void {
    const block = this.#block;
    for (let at = 0; at < pcm.length; ) {
      const part = pcm.subarray(at, at + block.length - this.#fill);
      block.set(part, this.#fill);
      at += part.length;
      this.#fill += part.length;
      if (this.#fill < block.length) return;
      this.#fill = 0;
      onBlock(block);
    }
  }
}
