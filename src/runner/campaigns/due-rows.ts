/** A row that waits. */
export interface DueRow {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly row: number;
  readonly attempt: number;
}

/** Rows by the time at which they are due, the earliest first; of those due at the same time the one that comes first in the list. */
export class DueRows {
  /** A binary heap: none is later than the two at twice its place. */
  readonly #heap: DueRow[] = [];
  #latest = 0;

  /** The latest time that a row has ever been due, in milliseconds since the Unix epoch. */
  get latest(): number {
    return this.#latest;
  }

  get first(): DueRow | undefined {
    return this.#heap[0];
  }

  add(due: DueRow): void {
    const heap = this.#heap;
    this.#latest = Math.max(this.#latest, due.at);
    let place = heap.push(due) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(due, heap[parent] as DueRow)) break;
      heap[place] = heap[parent] as DueRow;
      place = parent;
    }
    heap[place] = due;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#latest = 0;
  }

  take(): DueRow | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    let place = 0;
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const earlier = right < heap.length && isBefore(heap[right] as DueRow, heap[left] as DueRow) ? right : left;
      if (earlier >= heap.length || !isBefore(heap[earlier] as DueRow, last)) break;
      heap[place] = heap[earlier] as DueRow;
      place = earlier;
    }
    heap[place] = last;
    return first;
  }
}

const isBefore = (a: DueRow, b: DueRow) => a.at < b.at || (a.at === b.at && a.row < b.row);
