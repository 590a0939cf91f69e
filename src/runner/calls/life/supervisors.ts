import type { EndReason } from '../../../call/call.js';
import type { CallSupervisor } from './supervisor.js';

/** The supervisors of a runner: that of its provider's calls, and that of the calls which stay on this machine. */
export class Supervisors {
  readonly #all: CallSupervisor[] = [];
  #isDraining = false;

  add(supervisor: CallSupervisor): void {
    this.#all.push(supervisor);
    if (this.#isDraining) supervisor.drain();
  }

  /** One whose calls are over. */
  remove(supervisor: CallSupervisor): void {
    supervisor.close();
    const at = this.#all.indexOf(supervisor);
    if (at >= 0) this.#all.splice(at, 1);
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** No call begins any more. */
  drain(): void {
    this.#isDraining = true;
    for (const each of this.#all) each.drain();
  }

  /** Resolves when no call is left, when the time is over, and when `atOnce` is aborted. */
  async idleWithin(limitMs: number, atOnce: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((each) => each.idleWithin(limitMs, atOnce)));
  }

  stopCalls(): void {
    for (const each of this.#all) each.stopCalls();
  }

  endAll(reason: EndReason): void {
    for (const each of this.#all) each.endAll(reason);
  }

  /** What a caller is taken to have said, as {@link CallSupervisor.type}. @returns whether a bot takes it */
  type(...sentence: Parameters<CallSupervisor['type']>): boolean {
    return this.#all.some((each) => each.type(...sentence));
  }
}
