import type { ZodType } from 'zod';
import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import type { BotEndReason } from '../../call/call.js';
import type { ToolCall } from '../pipeline/frames/index.js';

/** What a function may do beside returning its result. */
export interface ToolContext {
  readonly call: ToolCall;
  /** Aborted when the time limit passes, the caller interrupts (unless the tool survives that), or the call is over. */
  readonly signal: AbortSignal;
  /** Says a text while the function runs. Resolves when its audio is on its way to the caller. */
  say(text: string): Promise<void>;
  /** Resolves when everything said so far is on its way to the caller. */
  spoken(): Promise<void>;
  /** The model is not asked to go on when this function has returned. */
  endTurn(): void;
  /**
   * Ends the call when everything said so far has been heard, and all functions that run have returned, ten seconds at most; the
   * model is not asked to go on.
   */
  endCall(reason?: BotEndReason): void;
}

/** A JSON Schema of an object. */
export interface JsonSchema {
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A function that the model may call. */
export interface Tool<Input = unknown> {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  /** Tells the model what it does and when to call it. */
  readonly description: string;
  /**
   * Shape of the input. What does not fit a zod schema goes back to the model as an error, and the function is not called; a
   * JSON Schema is shown to the model, and the function checks the input itself.
   */
  readonly parameters: ZodType<Input> | JsonSchema;
  /** Longest it may run, in milliseconds, 1 to 3600000; then the model is told. Default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Whether it goes on when the caller speaks over the bot; its result reaches the model when there is one. Default false. */
  readonly survivesInterruption?: boolean | undefined;
  /** Whether what the caller says while it runs does not count, and they hear no hold line. Default false. */
  readonly mutesCaller?: boolean | undefined;
  /** Said when it is called, unless the model has said something in the same answer. */
  readonly sayWhileRunning?: string | undefined;
  /** @returns what the model is told: anything that can be written as JSON. A throw is told as an error. */
  execute(input: Input, context: ToolContext): unknown;
}

const TOOL: OptionNames<Tool> = {
  name: true,
  description: true,
  parameters: true,
  timeoutMs: true,
  survivesInterruption: true,
  mutesCaller: true,
  sayWhileRunning: true,
  execute: true,
};

/**
 * Gives `execute` the type of the parameters.
 * @throws VoicebotError VB_CONFIG_INVALID naming every property that is not known
 */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  refuseUnknownOptions(tool, TOOL);
  return tool;
}

export function isZodType<Input>(parameters: Tool<Input>['parameters']): parameters is ZodType<Input> {
  return typeof (parameters as Partial<ZodType<Input>>).safeParseAsync === 'function';
}
