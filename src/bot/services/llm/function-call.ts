import { AsyncLocalStorage } from 'node:async_hooks';
import type { z } from 'zod';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { errorTypeOf } from '../../../base/errors.js';
import { isZodType, type Tool, type ToolContext } from '../../conversation/tool.js';
import type { ToolCall, ToolResult } from '../../pipeline/frames/index.js';

/** Longest a function may run, in milliseconds, unless its tool says otherwise. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** What a call may do to the conversation while it runs. None of it is asked for once it has a result. */
export interface FunctionCallDeps extends Pick<ToolContext, 'endTurn' | 'endCall'> {
  say(text: string, signal: AbortSignal): Promise<void>;
  /** The function threw, or ran out of time: for the developer. The model is told by the result. */
  report(error: Error): void;
  /** Runs the function, or what is played in its place. Default: runs it. @param signal aborted when the call of the function is cancelled */
  readonly play?: ((call: ToolCall, execute: () => unknown, signal: AbortSignal) => unknown) | undefined;
}

/** The function whose code runs. */
const current = new AsyncLocalStorage<FunctionCall>();

/** One function on its run: it settles once, with what the model is told, and never rejects. */
export class FunctionCall {
  readonly #abort = new AbortController();
  readonly #result: Deferred<ToolResult> = deferred();
  #isSettled = false;
  #errorType: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param names of the functions there are, told to a model that called another */
  constructor(
    readonly call: ToolCall,
    readonly tool: Tool | undefined,
    private readonly names: readonly string[],
    private readonly deps: FunctionCallDeps,
  ) {}

  get result(): Promise<ToolResult> {
    return this.#result.promise;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether it is this function that asks, or what it has begun. */
  get isCurrent(): boolean {
    return current.getStore() === this;
  }

  /** Of what class of errors it has failed; no words of anybody. */
  get errorType(): string | undefined {
    return this.#errorType;
  }

  /** Begins. @param onValid called before the function itself, when the input fits */
  async run(onValid: (tool: Tool) => void): Promise<void> {
    if (this.#isSettled) return;
    const { tool, call } = this;
    if (!tool) {
      const known = this.names.length > 0 ? `the functions are ${this.names.join(', ')}` : 'there are no functions';
      return this.#fail('unknown_function', `there is no function ${call.name}; ${known}`);
    }
    const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#timer = setTimeout(() => {
      const words = `no result within ${timeoutMs} ms`;
      this.#fail('timeout', words);
      this.deps.report(new Error(`function ${call.name}: ${words}`));
    }, timeoutMs);
    try {
      const input = isZodType(tool.parameters)
        ? await tool.parameters.safeParseAsync(call.input)
        : { data: call.input };
      if (this.#isSettled) return;
      if ('error' in input && input.error)
        return this.#fail('invalid_input', `the input does not fit: ${problemsOf(input.error)}`);
      onValid(tool);
      const execute = () => current.run(this, () => tool.execute(input.data, this.#context()));
      const output = await (this.deps.play ? this.deps.play(call, execute, this.#abort.signal) : execute());
      this.#settle({ output: asJson(output), isError: false });
    } catch (thrown) {
      if (this.#isSettled) return;
      const error = errorOf(thrown);
      this.#fail(errorTypeOf(error), error.message);
      this.deps.report(error);
    }
  }

  /** Ends it at once: the model is told why. */
  cancel(why: string): void {
    this.#fail('cancelled', `cancelled: ${why}`);
  }

  #context(): ToolContext {
    const { signal } = this.#abort;
    const { say, endTurn, endCall } = this.deps;
    return {
      call: this.call,
      signal,
      say: async (text) => {
        if (!this.#isSettled) await say(text, signal);
      },
      spoken: async () => {
        if (!this.#isSettled) await say('', signal);
      },
      endTurn: () => {
        if (!this.#isSettled) endTurn();
      },
      endCall: (reason) => {
        if (!this.#isSettled) endCall(reason);
      },
    };
  }

  #fail(errorType: string, output: string): void {
    if (this.#isSettled) return;
    this.#errorType = errorType;
    this.#settle({ output, isError: true });
    this.#abort.abort();
  }

  #settle(outcome: Pick<ToolResult, 'output' | 'isError'>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#result.resolve({ callId: this.call.id, name: this.call.name, ...outcome });
  }
}

function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
}

/** Functions may throw anything, also what has no text. */
function errorOf(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(String(thrown));
  } catch {
    return new Error('it threw something that is no error');
  }
}

/** @throws Error when it cannot be written as JSON */
function asJson(output: unknown): unknown {
  let written: string | undefined;
  try {
    written = JSON.stringify(output);
  } catch (cause) {
    throw new Error('the result cannot be written as JSON', { cause });
  }
  return written === undefined ? null : JSON.parse(written);
}
