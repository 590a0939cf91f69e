/** How many of the last times count. */
const KEPT = 16;

/** How long something usually takes, in milliseconds, by what it took before: in this process, for all calls. */
export class UsualTimes {
  readonly #times = new Map<string, number[]>();

  took(key: string, ms: number): void {
    this.#times.set(key, [...(this.#times.get(key) ?? []), ms].slice(-KEPT));
  }

  /** The median; undefined where nothing is known. */
  of(key: string): number | undefined {
    const times = this.#times.get(key)?.toSorted((a, b) => a - b);
    return times?.[times.length >> 1];
  }
}
