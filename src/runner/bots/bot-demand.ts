/** How long the busiest second is remembered, in milliseconds: callers who heard that it is busy call again. */
const REMEMBERED_MS = 60_000;
/** Processes kept ready for the next rush, for each processor. */
const MOST_SPARE_PER_PROCESSOR = 4;
/** Longest an answered caller may wait for a bot process, in milliseconds. */
const WAIT_LIMIT_MS = 1_000;

export interface BotDemandOptions {
  /** Processes that the machine loads at once without slowing each of them down, 1 or more. */
  processors: number;
  /** Calls one process serves at once, 1 or more. */
  callsPerProcess: number;
  /** Monotonic milliseconds. Default: the system's. */
  now?: () => number;
}

/** How many bot processes calls will need soon: from how fast calls have come, and how long a process takes to load. */
export class BotDemand {
  /** What a process takes to load: the latest when that was slower, else less and less of what earlier ones took. */
  #loadMs = 0;
  /** When those that load now began, in monotonic milliseconds. */
  readonly #begun = new Set<{ readonly at: number }>();
  #second = { startedAt: Number.NEGATIVE_INFINITY, calls: 0 };
  #busiest = { at: Number.NEGATIVE_INFINITY, calls: 0 };
  readonly #now: () => number;

  constructor(private readonly options: BotDemandOptions) {
    this.#now = options.now ?? (() => performance.now());
  }

  /** A call has come that wants a bot, whether it gets one or not. */
  called(): void {
    const now = this.#now();
    if (now - this.#second.startedAt >= 1_000) this.#second = { startedAt: now, calls: 0 };
    this.#second.calls += 1;
    if (this.#second.calls >= this.#busiestCalls(now)) this.#busiest = { at: now, calls: this.#second.calls };
  }

  /** A process begins to load. Call one of the two when it has, or when it never will. */
  load(): { done: () => void; failed: () => void } {
    const begun = { at: this.#now() };
    this.#begun.add(begun);
    const done = () => {
      const tookMs = this.#now() - begun.at;
      this.#loadMs = Math.max(tookMs, (tookMs + this.#loadMs) / 2);
      this.#begun.delete(begun);
    };
    return { done, failed: () => this.#begun.delete(begun) };
  }

  /**
   * Whether the last of so many calls, none of which has a process yet, gets its own in time. Those that get the processes
   * that are loaded next always count as in time: no other process would be there sooner.
   */
  isInTime(calls: number): boolean {
    const { processors, callsPerProcess } = this.options;
    const processes = Math.ceil(calls / callsPerProcess);
    return processes <= processors || (processes / processors) * this.#slowestMs <= WAIT_LIMIT_MS;
  }

  /** Processes to keep ready so that no caller is turned away in a second like the busiest one lately. */
  get spare(): number {
    const { processors, callsPerProcess } = this.options;
    const most = MOST_SPARE_PER_PROCESSOR * processors;
    const inTime = Math.max(processors, Math.floor((processors * WAIT_LIMIT_MS) / Math.max(1, this.#loadMs)));
    const wanted = Math.ceil(this.#busiestCalls(this.#now()) / callsPerProcess);
    return Math.min(most, Math.max(0, wanted - inTime));
  }

  /** A machine slows down within one rush, which shows in those that load before it shows in those that have. */
  get #slowestMs(): number {
    const [oldest] = this.#begun;
    return Math.max(this.#loadMs, oldest ? this.#now() - oldest.at : 0);
  }

  #busiestCalls(now: number): number {
    return now - this.#busiest.at < REMEMBERED_MS ? this.#busiest.calls : 0;
  }
}
