interface Mark {
  readonly name: string;
  /** Audio released before the mark, in milliseconds since the playout began. */
  readonly positionMs: number;
}

/** The marks of a playout, by which the far end acknowledges what it has played. Positions in milliseconds since the playout began. */
export class PlayoutMarks {
  #marks: Mark[] = [];
  #count = 0;
  #ackedMs = 0;
  #markedMs = 0;
  #acks: 'unknown' | 'seen' | 'missing';

  /** @param acknowledges false: it is known that no mark is ever acknowledged */
  constructor(acknowledges: boolean) {
    this.#acks = acknowledges ? 'unknown' : 'missing';
  }

  /** Everything before it has been played. */
  get ackedMs(): number {
    return this.#ackedMs;
  }

  /** Where the last mark was set, or the utterance began. */
  get markedMs(): number {
    return this.#markedMs;
  }

  /** Where the first mark stands that has not come back, from a far end that has acknowledged others. */
  get unprovenMs(): number | undefined {
    return this.#acks === 'seen' ? this.#marks[0]?.positionMs : undefined;
  }

  /** The far end is known to acknowledge nothing. */
  get areMissing(): boolean {
    return this.#acks === 'missing';
  }

  get areAllBack(): boolean {
    return this.#marks.length === 0;
  }

  /** @returns the name of a mark that is set at the position */
  set(positionMs: number): string {
    this.#count += 1;
    const name = `m${this.#count}`;
    this.#marks.push({ name, positionMs });
    this.#markedMs = positionMs;
    return name;
  }

  /** @returns false for a name from before an interruption */
  played(name: string): boolean {
    const index = this.#marks.findIndex((mark) => mark.name === name);
    const mark = this.#marks[index];
    if (!mark) return false;
    this.#acks = 'seen';
    this.#ackedMs = mark.positionMs;
    this.#marks.splice(0, index + 1);
    return true;
  }

  /** The last of them has been waited for in vain. */
  waitedInVain(): void {
    if (this.#acks === 'unknown') this.#acks = 'missing';
  }

  /** Names from before are ignored from here on. */
  forget(positionMs: number): void {
    this.#marks = [];
    this.#ackedMs = positionMs;
    this.#markedMs = positionMs;
  }
}
