/**
 * Marks on their way, for a carrier that does not say when it has dropped audio: it gives the marks back at once that were
 * behind that audio (carrier reference 7.1 and 7.2), which then says nothing of what was heard.
 */
export class SentMarks {
  readonly #waiting = new Set<string>();
  readonly #dropped = new Set<string>();

  sent(name: string): void {
    this.#waiting.add(name);
  }

  /** The carrier is told to drop what it has not played. */
  cleared(): void {
    for (const name of this.#waiting) this.#dropped.add(name);
    this.#waiting.clear();
  }

  /** @returns whether a mark that has come back was behind audio that the carrier was told to drop */
  wasDropped(name: string): boolean {
    this.#waiting.delete(name);
    return this.#dropped.delete(name);
  }

  /** Those of a stream that is over do not come back. */
  forget(): void {
    this.#waiting.clear();
    this.#dropped.clear();
  }
}
