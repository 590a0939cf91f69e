import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { BotEndReason } from '../../../call/call.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { isTransferTool } from '../../conversation/transfer-tool.js';
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
import type { AnswerCheck } from './answer-check.js';
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
  /** Told what the caller hears of the functions. */
  readonly check?: Pick<AnswerCheck, 'announced' | 'functionSpoke'>;
  /** Aborted by an interruption of the turn. */
  readonly signal: AbortSignal;
}

/** Longest time that the end of the call, when the bot wants it, waits for functions that run; in milliseconds. */
export const END_WAIT_MS = 10_000;

/** Runs the functions that a model calls: those of one answer all at once. */
export class FunctionRunner {
  readonly #running = new Set<FunctionCall>();
  /** Those that wait for the end of the call. */
  readonly #ending = new WeakSet<FunctionCall>();
  #hasEndedCall = false;
  #isClosed = false;

  constructor(private readonly deps: FunctionRunnerDeps) {}

  /**
   * Resolves when all have a result, with whether the model is to go on; or at once, with false, when the caller interrupts.
   * Functions that survive that go on, and have the model asked again when the last of them has returned.
   */
  async run({ context, turn, calls, hasSpoken, check, signal }: FunctionBatch): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return false;
    let endsTurn = false;
    let isSaid = hasSpoken;
    const runs: FunctionCall[] = [];
    for (const call of calls) {
      const endTurn = () => (endsTurn = true);
      const endCall = (reason?: BotEndReason) => {
        endTurn();
        this.#endCall(reason, runs);
      };
      runs.push(this.#prepare(call, context, { endTurn, endCall, spoke: () => check?.functionSpoke() }));
    }
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
          check?.announced();
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

  /**
   * Undefined when nothing runs that the end of the call has to wait for; else resolves when nothing does any more, and after
   * {@link END_WAIT_MS} at the latest. A function that asks does not wait for itself, and a transfer ends with the call.
   */
  underWay(): Promise<void> | undefined {
    for (const run of this.#running) if (run.isCurrent) this.#ending.add(run);
    const runs = this.#working();
    return runs.length > 0 ? settled(runs) : undefined;
  }

  /** The call ends when functions have returned, or have had the time for it. */
  async end(): Promise<void> {
    await this.underWay();
    if (this.underWay()) this.close();
  }

  /** Cancels everything that runs, and runs nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const run of this.#running) run.cancel('the call is over');
  }

  #prepare(
    call: ToolCall,
    { tools }: LLMContext,
    { spoke, ...ends }: Pick<FunctionCallDeps, 'endTurn' | 'endCall'> & { spoke(): void },
  ): FunctionCall {
    const tool = tools.find(({ name }) => name === call.name);
    const names = tools.map(({ name }) => name);
    const run = new FunctionCall(call, tool, names, {
      ...ends,
      say: (text, signal) => {
        if (text.trim() !== '') spoke();
        return this.#say(text, signal);
      },
      report: (error) => this.deps.push(new ErrorFrame(error, false, `function ${call.name}`), 'upstream'),
      play: this.deps.play,
    });
    this.#running.add(run);
    return run;
  }

  #working(): FunctionCall[] {
    return [...this.#running].filter((run) => !this.#ending.has(run) && !(run.tool && isTransferTool(run.tool)));
  }

  /** Once, when what runs is done. @param runs of the answer with the function that ends the call: what else it wanted is done as well */
  #endCall(reason: BotEndReason | undefined, runs: readonly FunctionCall[]): void {
    if (this.#hasEndedCall) return;
    this.#hasEndedCall = true;
    void settled([...runs, ...this.#working()]).then(() => {
      if (!this.#isClosed) this.deps.push(new EndFrame(reason), 'downstream');
    });
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

/** Resolves when all have a result, and after {@link END_WAIT_MS} at the latest. */
async function settled(runs: readonly FunctionCall[]): Promise<void> {
  await settlesWithin(Promise.all(runs.map(({ result }) => result)), END_WAIT_MS);
}
