import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';

/** Calls the handlers of events, and knows which of them still work. */
export class CallHandlers {
  readonly #working = new Set<Promise<void>>();
  /** Handlers have the asynchronous context of the code that made this, and its spans. */
  readonly #context = new AsyncResource('voicebot.Call');

  /** @param failed is told what a handler of an event has failed with */
  constructor(
    private readonly emitter: Pick<EventEmitter, 'rawListeners'>,
    private readonly failed: (error: unknown, event: string) => void,
  ) {}

  /** Calls all handlers of an event. Never throws. */
  tell(event: string, data: readonly unknown[]): void {
    for (const handler of this.emitter.rawListeners(event)) {
      try {
        const result: unknown = this.#context.runInAsyncScope(handler as () => unknown, this.emitter, ...(data as []));
        if (result instanceof Promise) this.#follow(result, event);
      } catch (error) {
        this.failed(error, event);
      }
    }
  }

  /** Resolves when none works any more, those that are called meanwhile included. Never rejects. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #follow(result: Promise<unknown>, event: string): void {
    const working: Promise<void> = result
      .then(
        () => {},
        (error: unknown) => this.failed(error, event),
      )
      .finally(() => this.#working.delete(working));
    this.#working.add(working);
  }
}
