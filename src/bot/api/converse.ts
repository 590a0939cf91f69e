import type { EndReason } from '../../call/call.js';
import { Conversation, type ConversationOptions } from '../conversation/conversation.js';
import type { IdleOptions } from '../conversation/idle-caller.js';
import { type GateScene, VoicemailGate, type VoicemailGateOptions } from '../conversation/voicemail-gate.js';
import type { FrameProcessor } from '../pipeline/index.js';
import type { CallEvents } from './call-events.js';
import { type BoundCall, bindTools, type CallTool, type CallTools, type ReadyTool } from './tools.js';

/** A conversation of a call: the options of a `Conversation`, and what else a call needs. */
export interface ConverseOptions<Inputs extends Record<string, unknown> = Record<string, unknown>>
  extends Omit<ConversationOptions, 'tools' | 'idle'> {
  /** Functions that the model may call, by name: 1 to 64 of `a-z A-Z 0-9 _ -`. */
  tools?: CallTools<Inputs>;
  /** What a silent caller is asked, one after the other; or more about it. Default: a silent caller is not asked. */
  idle?: readonly string[] | IdleOptions;
  /**
   * What a machine that answers a dialled call is told after its beep; or more about it, and about screening assistants, which are told the
   * greeting unless `screening.reason` says otherwise. Default: neither is looked for. A call that comes in has none.
   */
  voicemail?: string | VoicemailGateOptions;
}

/** A conversation that goes on. */
export interface Talk {
  /** Resolves when the call is over, with the reason. Never rejects. */
  readonly ended: Promise<EndReason>;
  /** What stands between the services: its context, its events. */
  readonly conversation: Conversation;
  /**
   * Tells the model what to do, and asks it for an answer. Must not be awaited in a tool, whose return the model waits for.
   * @returns whether the caller has heard the answer to its end
   */
  instruct(text: string): Promise<boolean>;
}

export interface ConverseScene {
  readonly isOutbound: boolean;
  /** What has happened before it. */
  readonly gate: GateScene;
  /** What is spoken in the call, BCP 47, where that is known. */
  readonly language: string | undefined;
  /** What tools do with the call. */
  readonly bound: BoundCall;
  /** Undefined where the model stands behind the conversation already. */
  readonly llm: FrameProcessor | undefined;
  /** Told the call's handlers. */
  tell<Name extends keyof CallEvents>(name: Name, ...data: CallEvents[Name]): void;
}

/**
 * Makes what a conversation needs in the pipeline of a call.
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range or not known
 */
export function prepareConversation(
  options: ConverseOptions<never>,
  { isOutbound, gate: gateScene, language, bound, llm, tell }: ConverseScene,
): { conversation: Conversation; processors: readonly FrameProcessor[] } {
  const { tools = {}, idle, voicemail, ...rest } = options;
  const conversation = new Conversation({
    ...(language !== undefined && { language }),
    ...rest,
    tools: bindTools(tools as Readonly<Record<string, CallTool<never> | ReadyTool>>, bound),
    ...(idle && { idle: isList(idle) ? { prompts: idle } : idle }),
  });
  const gateOptions = typeof voicemail === 'string' ? { message: voicemail } : voicemail;
  const gate =
    gateOptions &&
    new VoicemailGate(
      {
        ...gateOptions,
        ...(gateOptions.screening !== false && {
          screening: { ...screensWith(options.greeting), ...gateOptions.screening },
        }),
        onScreening: (status) => {
          tell('screening', { status });
          gateOptions.onScreening?.(status);
        },
        onMachine: (evidence) => {
          tell('voicemail', { evidence });
          gateOptions.onMachine?.(evidence);
        },
      },
      gateScene,
    );
  conversation.on('caller_said', (text) => tell('transcript', { speaker: 'caller', text, wasInterrupted: false }));
  conversation.on('bot_said', (text, wasInterrupted) => tell('transcript', { speaker: 'bot', text, wasInterrupted }));
  conversation.on('turn', (report) => tell('turn', report));
  conversation.on('interrupted', () => tell('interrupted', {}));
  return {
    conversation,
    processors: [...(gate && isOutbound ? [gate] : []), conversation.user(), ...(llm ? [llm] : [])],
  };
}

/** Says who calls and why, as a rule. */
const screensWith = (greeting: string | undefined) => (greeting?.trim() ? { reason: greeting } : {});

const isList = (value: readonly string[] | object): value is readonly string[] => Array.isArray(value);
