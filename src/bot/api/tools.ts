import type { ZodType } from 'zod';
import {
  type OptionNames,
  refuseProblems,
  refuseUnknownOptions,
  unknownOptions,
} from '../../base/names/option-names.js';
import type { DoNotCallOutcome } from '../../call/do-not-call.js';
import { operatorNumber } from '../../call/operator-number.js';
import { doNotCallTool } from '../conversation/do-not-call-tool.js';
import { endCallTool } from '../conversation/end-call-tool.js';
import { languageTool } from '../conversation/language-tool.js';
import { defineTool, type JsonSchema, type Tool, type ToolContext } from '../conversation/tool.js';
import {
  type ToolTransferResult,
  type TransferringTransport,
  type TransferToolOptions,
  transferTool,
} from '../conversation/transfer-tool.js';
import { type CallTransferOptions, type WarmOptions, warmProblems } from './transfer-options.js';

/** A function that the model may call, under the name it has in `tools`. */
export interface CallTool<Input = unknown> extends Omit<Tool<Input>, 'name' | 'parameters' | 'execute'> {
  /** Shape of the input, as `parameters` of a `Tool`. Default: no input. */
  readonly input?: ZodType<Input> | JsonSchema;
  /** @returns what the model is told: anything that can be written as JSON. A throw is told as an error. */
  run(input: Input, context: ToolContext): unknown;
}

/** What a {@link ReadyTool} does with the call it is for. */
export interface BoundCall extends TransferringTransport {
  transfer(to: string, options?: CallTransferOptions): Promise<ToolTransferResult>;
  /** Has another language spoken from here on. @param language BCP 47 */
  speak(language: string): void;
  /**
   * Puts the other party on the do-not-call list, and tells them. Never rejects.
   * @param say what they hear when it is done; default: a sentence in the language of the call; false: nothing
   */
  doNotCall(say?: string | false): Promise<DoNotCallOutcome>;
}

/** A tool that needs the call it is for, as {@link transferTo}, {@link speakLanguage}, {@link doNotCall} and {@link endCall} make them. */
export interface ReadyTool {
  /** Makes the tool for one call. @param name what it is called in `tools` */
  bind(name: string, call: BoundCall): Tool;
}

/** The tools of a conversation, by the names that the model calls them. */
export type CallTools<Inputs extends Record<string, unknown>> = {
  readonly [Name in keyof Inputs]: CallTool<Inputs[Name]> | ReadyTool;
};

const CALL_TOOL: OptionNames<CallTool> = {
  description: true,
  input: true,
  run: true,
  timeoutMs: true,
  survivesInterruption: true,
  mutesCaller: true,
  sayWhileRunning: true,
};

/** What {@link transferTo} tells the caller and the model. */
export interface TransferToOptions extends Omit<TransferToolOptions, 'transport' | 'to' | 'name'> {
  /** The person is briefed and asked before the caller is connected, as by `Call.transfer`. Default: the caller is connected at once. */
  readonly warm?: WarmOptions | undefined;
}

const TRANSFER_TO: OptionNames<TransferToOptions> = { announce: true, description: true, onResult: true, warm: true };

/**
 * A tool with which the model connects the caller with a person, and leaves the call when the destination answers.
 * @param to a number, E.164, or several by name, of which the model chooses one; undefined: `OPERATOR_NUMBER`, else the
 *   sandbox's operator
 * @throws VoicebotError VB_CONFIG_INVALID for a number or a name that is malformed, or an option that is not known
 */
export function transferTo(
  to: string | Readonly<Record<string, string>> | undefined,
  options: TransferToOptions = {},
): ReadyTool {
  const { warm, ...rest } = options;
  refuseProblems([...unknownOptions(options, TRANSFER_TO), ...(warm === undefined ? [] : warmProblems(warm))]);
  const bind = (name: string, call: Pick<BoundCall, 'transfer'>) => {
    const transport = warm ? { transfer: warmlyBy(call, warm), isWarm: true } : call;
    return transferTool({ ...rest, transport, to: to || operatorNumber({ isWarm: warm !== undefined }), name });
  };
  bind('check', { transfer: () => Promise.reject(new Error('the other party is not on the line')) }); // refuses bad numbers now
  return { bind };
}

/** What is announced is heard before the person is dialled. */
const warmlyBy =
  (call: Pick<BoundCall, 'transfer'>, warm: WarmOptions): TransferringTransport['transfer'] =>
  (number, options) =>
    call.transfer(number, { ...options, warm });

/** What {@link endCall} says, and when the model uses it. */
export interface EndCallOptions {
  /** Said before the end, unless the model has said goodbye in its own words. Default: nothing. */
  say?: string | undefined;
  /** Tells the model when to end the call. Default: when the caller has said goodbye or wants nothing more. */
  description?: string | undefined;
}

const END_CALL: OptionNames<EndCallOptions> = { say: true, description: true };

/**
 * A tool with which the model ends the call, when what it has said has been heard.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is not known
 */
export function endCall(options: EndCallOptions = {}): ReadyTool {
  refuseUnknownOptions(options, END_CALL);
  const { say: goodbye, description } = options;
  return { bind: (name) => endCallTool({ name, goodbye, description }) };
}

/** What {@link doNotCall} says, and when the model uses it. */
export interface DoNotCallToolOptions {
  /** What the other party hears when their number is on the list; false: nothing, and the model is asked to say so. Default: a sentence in the language of the call. */
  say?: string | false | undefined;
  /** Tells the model when to do it. Default: when the other party does not want to be called again. */
  description?: string | undefined;
}

const DO_NOT_CALL: OptionNames<DoNotCallToolOptions> = { say: true, description: true };

/**
 * A tool with which the model puts the other party's number on the do-not-call list. It is there, and in every runner, before they are told so.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is not known
 */
export function doNotCall(options: DoNotCallToolOptions = {}): ReadyTool {
  refuseUnknownOptions(options, DO_NOT_CALL);
  const { say, description } = options;
  return {
    bind: (name, call) => doNotCallTool({ name, description, isTold: say !== false, list: () => call.doNotCall(say) }),
  };
}

/** When the model changes the language. */
export interface SpeakLanguageOptions {
  /** Tells the model when to change it. Default: when the caller asks for another language, or speaks one. */
  description?: string | undefined;
}

const SPEAK_LANGUAGE: OptionNames<SpeakLanguageOptions> = { description: true };

/**
 * A tool with which the model changes what is spoken in the call: as `call.language`.
 * @param languages which it may choose, BCP 47 tags such as `['en', 'es-MX']`
 * @throws VoicebotError VB_CONFIG_INVALID naming every tag that is malformed, for an empty list, or an option that is not known
 */
export function speakLanguage(languages: readonly string[], options: SpeakLanguageOptions = {}): ReadyTool {
  refuseUnknownOptions(options, SPEAK_LANGUAGE);
  const bind = (name: string, { speak }: Pick<BoundCall, 'speak'>) =>
    languageTool({ ...options, languages, name, speak });
  bind('check', { speak: () => {} }); // refuses bad tags now
  return { bind };
}

/** @throws VoicebotError VB_CONFIG_INVALID for a property that is not known */
export function bindTools(tools: Readonly<Record<string, CallTool<never> | ReadyTool>>, call: BoundCall): Tool[] {
  return Object.entries(tools).map(([name, tool]) => {
    if ('bind' in tool) return tool.bind(name, call);
    refuseUnknownOptions(tool, CALL_TOOL);
    const { input = { type: 'object', properties: {} }, run, ...rest } = tool as CallTool;
    return defineTool({ ...rest, name, parameters: input, execute: (given, context) => run(given, context) });
  });
}
