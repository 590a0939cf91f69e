/**
 * The latest audio of a call, as it is sent: what waits to be sent, and what was sent and may have to be sent again.
 * Positions count bytes since the call's first.
 */
export class AudioBacklog {
  /** Audio that was never sent because it waited too long, in bytes. */
  droppedBytes = 0;
  #chunks: Uint8Array[] = [];
  /** Position of the first byte that is held. */
  #start = 0;
  #end = 0;
  /** Up to here it has been sent. */
  #sent = 0;

  constructor(private readonly maxBytes: number) {}

  /** Position of what is sent next. */
  get position(): number {
    return this.#sent;
  }

  /** Adds audio; the oldest gives way. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#end += chunk.length;
    while (this.#end - this.#start > this.maxBytes && this.#chunks.length > 1) {
      this.#start += this.#chunks.shift()?.length ?? 0;
    }
    if (this.#sent >= this.#start) return;
    this.droppedBytes += this.#start - this.#sent;
    this.#sent = this.#start;
  }

  /** What is to be sent now, oldest first. Counts as sent from here on. */
  takeUnsent(): Uint8Array[] {
    const unsent: Uint8Array[] = [];
    let position = this.#end;
    for (let i = this.#chunks.length - 1; i >= 0 && position > this.#sent; i -= 1) {
      const chunk = this.#chunks[i] as Uint8Array;
      position -= chunk.length;
      unsent.push(position < this.#sent ? chunk.subarray(this.#sent - position) : chunk);
    }
    this.#sent = this.#end;
    return unsent.reverse();
  }

  /** Audio before `position` is done with, as far as it has been sent. */
  confirm(position: number): void {
    const done = Math.min(position, this.#sent);
    let first = this.#chunks[0];
    while (first && this.#start + first.length <= done) {
      this.#start += first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
    if (!first || done <= this.#start) return;
    this.#chunks[0] = first.subarray(done - this.#start);
    this.#start = done;
  }

  /** Whatever is held is sent again, from where it was confirmed. */
  rewind(): void {
    this.#sent = this.#start;
  }

  clear(): void {
    this.#chunks = [];
    this.#start = this.#end;
    this.#sent = this.#end;
  }
}
