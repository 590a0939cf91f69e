import { deferred } from '../../../base/async/deferred.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import {
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  LLMRunFrame,
  type SystemFrame,
  type ToolCall,
  TTSSpeakFrame,
  type Turn,
} from '../../pipeline/frames/index.js';
import { FunctionCall, type FunctionCallDeps } from './function-call.js';

/** The processor that the functions run for. */
export interface FunctionRunnerDeps {
  push(frame: Frame, direction: FrameDirection): void;
  broadcast(create: () => SystemFrame): void;
  /** Aborted by the next interruption. */
  signal(): AbortSignal;
  /** Where the calls are noted. */
  readonly timeline?: () => CallTimeline | undefined;
  readonly play?: FunctionCallDeps['play'];
}

/** What the model wants called in one answer. */
export interface FunctionBatch {
  /** Holds the calls already. */
  readonly context: LLMContext;
  readonly turn: Turn;
  readonly calls: readonly ToolCall[];
  /** Whether the model has said something in the same answer. */
  readonly hasSpoken: boolean;
  /** Aborted by an interruption of the turn. */
  readonly signal: AbortSignal;
}

/** Runs the functions that a model calls: those of one answer all at once. */
export class FunctionRunner {
  readonly #running = new Set<FunctionCall>();
  #hasEndedCall = false;
  #isClosed = false;

  constructor(private readonly deps: FunctionRunnerDeps) {}

  /**
   * Resolves when all have a result, with whether the model is to go on; or at once, with false, when the caller interrupts.
   * Functions that survive that go on, and have the model asked again when the last of them has returned.
   */
  async run({ context, turn, calls, hasSpoken, signal }: FunctionBatch): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return false;
    let endsTurn = false;
    let isSaid = hasSpoken;
    const runs = calls.map((call) => this.#prepare(call, context, () => (endsTurn = true)));
    const mutesCaller = runs.some(({ tool }) => tool?.mutesCaller);
    this.deps.broadcast(() => new FunctionCallsStartedFrame(calls, mutesCaller));
    const begunAt = performance.now();
    const timeline = this.deps.timeline?.();
    for (const run of runs) {
      const { id, name, input } = run.call;
      timeline?.note({ type: 'tool_called', turn: turn.id, call: id, name, input });
      const begin = () =>
        run.run(({ sayWhileRunning }) => {
          if (!sayWhileRunning || isSaid) return;
          isSaid = true;
          this.deps.push(new TTSSpeakFrame(sayWhileRunning), 'downstream');
        });
      void (timeline ? timeline.during({ call: id }, begin) : begin());
    }
    let haveSurvived = false;
    const aborted = deferred<false>();
    const onAbort = () => {
      for (const run of runs) if (!run.tool?.survivesInterruption) run.cancel('the caller spoke');
      haveSurvived = runs.some(({ isSettled }) => !isSettled);
      aborted.resolve(false);
    };
    const results = runs.map(async (run) => {
      const result = await run.result;
      this.#running.delete(run);
      const { callId, ...outcome } = result;
      const { errorType } = run;
      timeline?.note({ type: 'tool_returned', call: callId, ...outcome, ms: performance.now() - begunAt, errorType });
      context.setToolResult(result);
      return result;
    });
    const ended = Promise.all(results).then((all) => {
      this.deps.broadcast(() => new FunctionCallsEndedFrame(all));
      const goesOn = !endsTurn && !this.#isClosed;
      if (goesOn && haveSurvived) this.deps.push(new LLMRunFrame(), 'upstream');
      return goesOn;
    });
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([ended, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Cancels everything that runs, and runs nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const run of this.#running) run.cancel('the call is over');
  }

  #prepare(call: ToolCall, { tools }: LLMContext, endTurn: () => void): FunctionCall {
    const tool = tools.find(({ name }) => name === call.name);
    const names = tools.map(({ name }) => name);
    const run = new FunctionCall(call, tool, names, {
      say: (text, signal) => this.#say(text, signal),
      endTurn,
      endCall: (reason) => {
        endTurn();
        if (this.#hasEndedCall) return;
        this.#hasEndedCall = true;
        this.deps.push(new EndFrame(reason), 'downstream');
      },
      report: (error) => this.deps.push(new ErrorFrame(error, false, `function ${call.name}`), 'upstream'),
      play: this.deps.play,
    });
    this.#running.add(run);
    return run;
  }

  /** An interruption may drop the frame from a queue it waits in: then the voice does not settle it. */
  async #say(text: string, signal: AbortSignal): Promise<void> {
    const frame = new TTSSpeakFrame(text);
    this.deps.push(frame, 'downstream');
    const ends = [signal, this.deps.signal()];
    const stopped = deferred();
    const stop = () => stopped.resolve();
    for (const end of ends) end.addEventListener('abort', stop, { once: true });
    await Promise.race([frame.synthesised, stopped.promise]);
    for (const end of ends) end.removeEventListener('abort', stop);
  }
}
