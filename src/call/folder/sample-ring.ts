/** What it begins with, in samples: it grows when more is kept. */
const FIRST_CAPACITY = 2_048;

/** Samples in order, copied in at the end and out at the beginning. Reuses its memory. */
export class SampleRing {
  #samples = new Int16Array(FIRST_CAPACITY);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(samples: Int16Array): void {
    this.#makeRoom(samples.length);
    this.#copyIn(this.#head + this.#length, samples);
    this.#length += samples.length;
  }

  /** Puts samples before all others. */
  putBack(samples: Int16Array): void {
    this.#makeRoom(samples.length);
    this.#head = (this.#head - samples.length + this.#samples.length) % this.#samples.length;
    this.#copyIn(this.#head, samples);
    this.#length += samples.length;
  }

  /** Takes the first samples. @param count at most those that are there */
  take(into: Int16Array, count: number): void {
    const untilEnd = Math.min(count, this.#samples.length - this.#head);
    into.set(this.#samples.subarray(this.#head, this.#head + untilEnd));
    if (untilEnd < count) into.set(this.#samples.subarray(0, count - untilEnd), untilEnd);
    this.skip(count);
  }

  /** Drops the first samples. @param count at most those that are there */
  skip(count: number): void {
    this.#length -= count;
    this.#head = this.#length === 0 ? 0 : (this.#head + count) % this.#samples.length;
  }

  #copyIn(position: number, samples: Int16Array): void {
    const at = position % this.#samples.length;
    const untilEnd = this.#samples.length - at;
    if (samples.length <= untilEnd) this.#samples.set(samples, at);
    else {
      this.#samples.set(samples.subarray(0, untilEnd), at);
      this.#samples.set(samples.subarray(untilEnd));
    }
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#samples.length) return;
    const grown = new Int16Array(2 ** Math.ceil(Math.log2(needed)));
    const kept = this.#length;
    this.take(grown, kept);
    this.#samples = grown;
    this.#head = 0;
    this.#length = kept;
  }
}
