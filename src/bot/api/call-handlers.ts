import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { isAbortOf } from '../../base/async/deadline.js';
import { HANDLER, type PipelineTask, printProblem } from '../pipeline/pipeline-task.js';

/** Whose events they are. */
interface HandledCall extends Pick<EventEmitter, 'rawListeners' | 'listenerCount'> {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** Calls the handlers of events, and knows which of them still work. */
export class CallHandlers {
  readonly #working = new Set<Promise<void>>();
  /** Handlers have the asynchronous context of the code that made this, and its spans. */
  readonly #context = new AsyncResource('voicebot.Call');

  /** @param task where what a handler has failed with is noted */
  constructor(
    private readonly emitter: HandledCall,
    private readonly task: () => Pick<PipelineTask, 'noteProblem'>,
  ) {}

  /** Calls all handlers of an event. Never throws. */
  tell(event: string, data: readonly unknown[]): void {
    for (const handler of this.emitter.rawListeners(event)) {
      try {
        const result: unknown = this.#context.runInAsyncScope(handler as () => unknown, this.emitter, ...(data as []));
        if (result instanceof Promise) this.#follow(result, event);
      } catch (error) {
        this.warn(error, HANDLER, event);
      }
    }
  }

  /** @param of the event whose handler it comes from: not told to handlers of warnings where it is one of theirs */
  warn(problem: unknown, source: string | undefined, of?: string): void {
    const { emitter } = this;
    if (source === HANDLER && isAbortOf(emitter.signal, problem)) return; // a wait that the end of the call has ended
    const error = problem instanceof Error ? problem : new Error(String(problem));
    if (source === HANDLER) this.task().noteProblem(error, source);
    if (of === 'warning' || emitter.listenerCount('warning') === 0) printProblem(error, source, emitter);
    else this.tell('warning', [{ error, source }]);
  }

  /** Resolves when none works any more, those that are called meanwhile included. Never rejects. @param after what may still call some */
  async settled(after?: Promise<unknown>): Promise<void> {
    await after;
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #follow(result: Promise<unknown>, event: string): void {
    const working: Promise<void> = result
      .then(
        () => {},
        (error: unknown) => this.warn(error, HANDLER, event),
      )
      .finally(() => this.#working.delete(working));
    this.#working.add(working);
  }
}
