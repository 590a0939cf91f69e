/** How many of the last ticks count: a minute and a half. */
const MAX_TICKS = 4_096;

/** How long ticks took. */
export interface TickSummary {
  /** How many there were altogether. */
  readonly ticks: number;
  /** Of the last 4,096, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long the ticks of a clock took. */
export class TickStatistics {
  readonly #last = new Float64Array(MAX_TICKS);
  #ticks = 0;

  add(ms: number): void {
    this.#last[this.#ticks % MAX_TICKS] = ms;
    this.#ticks += 1;
  }

  get summary(): TickSummary {
    const sorted = this.#last.slice(0, Math.min(this.#ticks, MAX_TICKS)).sort();
    const share = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    return { ticks: this.#ticks, p50Ms: share(0.5), p99Ms: share(0.99), maxMs: share(1) };
  }
}
