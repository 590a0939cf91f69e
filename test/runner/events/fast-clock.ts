import type { DeliveryClock } from '../../../src/runner/events/event-delivery.js';

/** Waits are far shorter than real ones, so that those of minutes are those of a test. Time itself is faster, too, but no day passes. */
export class FastClock implements DeliveryClock {
  readonly #wallAt = Date.now();
  readonly #startedAt = performance.now();

  constructor(
    private readonly waits = 20_000,
    private readonly time = 100,
  ) {}

  now(): number {
    return this.#wallAt + (performance.now() - this.#startedAt) * this.time;
  }

  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms / this.waits);
    return () => clearTimeout(timer);
  }
}
