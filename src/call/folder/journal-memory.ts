import { journalSize } from './journal.js';

/** Pieces that are kept for later, of each size. */
const MAX_FREE = 64;

/**
 * Memory for journals. V8 gives shared memory back long after its last use, in each of the threads that have had it, so what a closed file's
 * journal has used is used again for the next one.
 */
export class JournalMemory {
  readonly #free = new Map<number, SharedArrayBuffer[]>();

  /** @param bytes how much may wait to be read */
  take(bytes: number): SharedArrayBuffer {
    const size = journalSize(bytes);
    return this.#free.get(size)?.pop() ?? new SharedArrayBuffer(size);
  }

  /** Neither thread uses it any more. */
  giveBack(memory: SharedArrayBuffer): void {
    const free = this.#free.get(memory.byteLength) ?? [];
    this.#free.set(memory.byteLength, free);
    if (free.length < MAX_FREE) free.push(memory);
  }
}

/** That of this process. */
export const journalMemory = new JournalMemory();
