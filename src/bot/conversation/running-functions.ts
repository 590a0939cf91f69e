import type { FunctionCallsEndedFrame, FunctionCallsStartedFrame } from '../pipeline/frames/index.js';

/** The functions of the model, and what else the bot does with the call, that have begun and not ended. */
export class RunningFunctions {
  /** By the identifier of their call: whether they mute the caller. */
  readonly #running = new Map<string, boolean>();

  /** @param isMuting whether the caller is muted while any of them runs */
  constructor(private readonly isMuting: boolean) {}

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Whether what the caller says does not count now. */
  get mutes(): boolean {
    return this.muteCaller || (this.isMuting && !this.isEmpty);
  }

  /** Whether one of them has the caller talk with another person, or not be heard. */
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
