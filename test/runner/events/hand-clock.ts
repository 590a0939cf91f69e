import type { DeliveryClock } from '../../../src/runner/events/event-delivery.js';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** Stands still until the test lets time pass. */
export class HandClock implements DeliveryClock {
  readonly #alarms = new Set<Alarm>();
  #now: number;

  /** @param now milliseconds since the Unix epoch. Default: this moment */
  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const alarm = { at: this.#now + ms, run };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Waits that have not ended. */
  get waits(): number {
    return this.#alarms.size;
  }

  /** @param settled awaited after everything that the time brings about */
  async pass(ms: number, settled: () => Promise<unknown>): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#alarms].toSorted((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      this.#alarms.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settled();
    }
    this.#now = end;
  }
}
