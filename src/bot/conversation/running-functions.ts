import type { FunctionCallsEndedFrame, FunctionCallsStartedFrame } from '../pipeline/frames/index.js';

/** The functions of the model, and what else the bot does with the call, that have begun and not ended. */
export class RunningFunctions {
  /** By the identifier of their call: whether they mute the caller. */
  readonly #running = new Map<string, boolean>();

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  get muteCaller(): boolean {
    return [...this.#running.values()].includes(true);
  }

  begin({ calls, mutesCaller }: FunctionCallsStartedFrame): void {
    for (const { id } of calls) this.#running.set(id, mutesCaller);
  }

  end({ results }: FunctionCallsEndedFrame): void {
    for (const { callId } of results) this.#running.delete(callId);
  }
}
