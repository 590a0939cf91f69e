import type { Clock } from '../../../src/base/http/repeats.js';

/** Notes the pauses, which pass at once. */
export class ManualClock implements Clock {
  readonly pauses: number[] = [];
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  async pause(ms: number): Promise<void> {
    this.pauses.push(ms);
    this.#nowMs += ms;
  }
}
