import { EventEmitter } from 'node:events';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { energyDetector } from '../../base/audio/energy-detector.js';
import type { CreateVoiceDetector } from '../../base/audio/voice-detector.js';
import { type EventNames, refuseUnknownEvents } from '../../base/names/event-names.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import type { ProviderError } from '../../base/provider-error.js';
import { languageName } from '../../call/language-name.js';
import { epochOf } from '../../call/timeline.js';
import { lineOf, TURN_STEPS, type TurnReport } from '../../call/turn-report.js';
import { LLMMessagesAppendFrame, OutputAudioFrame, type Turn, type TurnTimes } from '../pipeline/frames/index.js';
import type { FrameProcessor } from '../pipeline/index.js';
import { isSameLanguage, languageOf, languageProblems } from '../pipeline/language.js';
import { LineFrame, type RecordedLine, recordedLine } from '../pipeline/recorded-lines.js';
import { AssistantAggregator } from './assistant-aggregator.js';
import { FlushMarkerFrame } from './conversation-frames.js';
import type { EarlyQuestions } from './early-question.js';
import { isQuestion } from './ears-habits.js';
import { IDLE_OPTIONS, type IdleOptions } from './idle-caller.js';
import { LLM_CONTEXT_OPTIONS, LLMContext, type LLMContextOptions } from './llm-context.js';
import { KEYS_OPTIONS, type KeysOptions } from './pressed-keys.js';
import { BARGE_IN_OPTIONS, type BargeInOptions, TURN_OPTIONS, type TurnOptions } from './turn-options.js';
import { UserAggregator } from './user-aggregator.js';
import type { MuteReason } from './user-aggregator-options.js';

/** What a caller hears, and where they go, when a vendor has failed. */
export interface FailureOptions {
  /** What the caller hears when a speech or model vendor has failed for good. Default: a recorded apology, in the caller's language. */
  apology?: OutputAudioFrame;
  /**
   * Hands the caller to a person after the apology, such as `() => transport.transfer('+15551234567')`. Default: the call is
   * ended with the reason `provider_error`, as it is when the person does not answer.
   */
  transfer?: () => Promise<{ readonly status: string }>;
}

/** What a {@link Conversation} says, when it listens, and which functions the model has. */
export interface ConversationOptions extends LLMContextOptions {
  /** What the bot says first, once the other party is there to hear it. Default: the bot waits to be spoken to. */
  greeting?: string;
  /** False: the greeting waits for {@link Conversation.greet}. Default true. */
  greetsByItself?: boolean;
  turns?: TurnOptions;
  /** False: the caller cannot interrupt the bot; what they say meanwhile counts when the bot has finished. */
  bargeIn?: BargeInOptions | false;
  /** While what the caller is not listened to. Functions that always mute say so themselves. Default: never. */
  mute?: readonly MuteReason[];
  /** Tells speech from silence and noise. Default: {@link energyDetector}. */
  detector?: CreateVoiceDetector;
  /** Default: a silent caller is not asked. */
  idle?: IdleOptions;
  /** When keys that the caller presses are told the model, as `(the caller pressed 4 2 #)`. False: it is not told of them. */
  keys?: KeysOptions | false;
  failure?: FailureOptions;
  /** How long the caller waits for an answer before {@link holdLine} is played, in milliseconds, 500 to 30000; 0 means never. Default 4000. */
  holdAfterMs?: number;
  /** Default: "One moment, please", recorded, in the caller's language. */
  holdLine?: OutputAudioFrame;
  /** Gets one line for each turn: how long the caller waited, and what for. Default: the runner shows it; without a runner, standard error. */
  log?: (line: string) => void;
}

/** What a {@link Conversation} tells. */
export interface ConversationEvents {
  /** A turn of the bot has been said, or was interrupted. */
  turn: [report: TurnReport];
  /** The caller has finished a turn, and this is what was understood. Written nowhere by itself. */
  caller_said: [text: string];
  /** The caller has heard this, and no more of it when `wasInterrupted`. Written nowhere by itself. */
  bot_said: [text: string, wasInterrupted: boolean];
  /** The caller has spoken over the bot. */
  interrupted: [];
  /** A vendor has failed for good: the caller hears the apology next. */
  failed: [error: ProviderError];
}

/** @internal */
export const CONVERSATION_OPTIONS: OptionNames<ConversationOptions> = {
  ...LLM_CONTEXT_OPTIONS,
  greeting: true,
  greetsByItself: true,
  turns: true,
  bargeIn: true,
  mute: true,
  detector: true,
  idle: true,
  keys: true,
  failure: true,
  holdAfterMs: true,
  holdLine: true,
  log: true,
};
const MUTE_REASONS: Readonly<Record<MuteReason, true>> = { greeting: true, functions: true };
const FAILURE_OPTIONS: OptionNames<FailureOptions> = { apology: true, transfer: true };
const EVENTS: EventNames<ConversationEvents> = {
  turn: true,
  caller_said: true,
  bot_said: true,
  interrupted: true,
  failed: true,
};

/**
 * Listening, thinking and speaking by turns: what stands between the services of a pipeline. {@link user} goes behind the
 * speech-to-text and {@link assistant} behind the transport's output. For one call.
 *
 * ```ts
 * new Pipeline([transport.input(), stt, conversation.user(), llm, tts, transport.output(), conversation.assistant()]);
 * ```
 */
export class Conversation extends EventEmitter<ConversationEvents> {
  /** What the model is shown. */
  readonly context: LLMContext;
  readonly #user: UserAggregator;
  readonly #assistant: AssistantAggregator;
  readonly #log: ((line: string) => void) | undefined;
  /** What the model was told to do, and after which turn. */
  readonly #instructions = new Set<{ readonly afterTurn: number; readonly heard: Deferred<boolean> }>();
  #language: string | undefined;
  #isStopped = false;

  /** @throws VoicebotError VB_CONFIG_INVALID naming what is out of range or not known */
  constructor(options: ConversationOptions = {}) {
    super();
    refuseUnknownEvents(this, EVENTS);
    const { system, messages, tools, limit, language, holdAfterMs = 4_000, failure = {}, log } = options;
    const problems = [
      ...unknownOptions(options, CONVERSATION_OPTIONS),
      ...languageProblems(language),
      ...unknownOptions(options.turns, TURN_OPTIONS, 'turns.'),
      ...unknownOptions(options.bargeIn, BARGE_IN_OPTIONS, 'bargeIn.'),
      ...unknownOptions(Object.fromEntries((options.mute ?? []).map((one) => [one, true])), MUTE_REASONS, 'mute: '),
      ...unknownOptions(options.idle, IDLE_OPTIONS, 'idle.'),
      ...unknownOptions(options.keys || {}, KEYS_OPTIONS, 'keys.'),
      ...unknownOptions(failure, FAILURE_OPTIONS, 'failure.'),
      ...recordingProblems({ holdLine: options.holdLine, 'failure.apology': failure.apology }),
      ...(holdAfterMs === 0 ? [] : rangeProblems({ holdAfterMs: [holdAfterMs, 500, 30_000] })),
    ];
    refuseProblems(problems);
    this.context = new LLMContext({ system, messages, tools, limit, language });
    this.#log = log;
    const line = (name: RecordedLine) => recordedLine(name, this.context.language);
    this.#user = new UserAggregator(
      {
        context: this.context,
        createDetector: options.detector ?? energyDetector(),
        greeting: options.greeting,
        greetsByItself: options.greetsByItself ?? true,
        turns: options.turns,
        bargeIn: options.bargeIn,
        language: () => this.context.language,
        mute: options.mute ?? [],
        idle: options.idle,
        keys: options.keys ?? {},
        holdAfterMs,
        holdLine: () => (options.holdLine ? new LineFrame(options.holdLine, 'hold') : line('one-moment')),
        apology: () => (failure.apology ? new LineFrame(failure.apology, 'apology') : line('apology')),
        afterApology: async () => {
          if (!failure.transfer) return false;
          await this.#passed();
          const { status } = await failure.transfer();
          return status === 'answered' || status === 'caller_left';
        },
      },
      {
        turnOver: (turn, wasInterrupted, early) => {
          this.#report(turn, wasInterrupted, early);
          this.#followed(turn.id, !wasInterrupted);
        },
        callerSaid: (text) => this.#tell('caller_said', text),
        bargedIn: () => this.#tell('interrupted'),
        failed: (error) => this.#tell('failed', error),
        stopped: () => {
          this.#isStopped = true;
          this.#followed(Infinity, false);
        },
      },
    );
    this.#assistant = new AssistantAggregator(
      this.context,
      (text, wasInterrupted) => {
        this.#user.wasAsked = isQuestion(text);
        this.#tell('bot_said', text, wasInterrupted);
      },
      (language) => this.#speak(language),
    );
    this.#language = language;
  }

  /** Goes behind the speech-to-text. */
  user(): FrameProcessor {
    return this.#user;
  }

  /** Goes behind the transport's output. */
  assistant(): FrameProcessor {
    return this.#assistant;
  }

  /** Says a text as it stands, behind everything said before. */
  say(text: string): void {
    this.#user.say(text);
  }

  /**
   * Tells the model what to do, and asks it for an answer. A function that the model has called must not wait for it: the
   * model answers when the function has returned.
   * @returns whether the caller has heard the answer to its end; false, too, when the conversation ends before
   */
  instruct(text: string): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(false);
    const heard = deferred<boolean>();
    this.#instructions.add({ afterTurn: this.#user.turnCount, heard });
    this.#user.receive(new LLMMessagesAppendFrame([{ role: 'system', content: text }], true), 'downstream');
    return heard.promise;
  }

  /** Tells the model something, and asks it for no answer. @internal */
  inform(content: string): void {
    if (this.#isStopped) return;
    this.#user.receive(new LLMMessagesAppendFrame([{ role: 'system', content }]), 'downstream');
  }

  /** The bot ends the call: an answer to what the caller has just said is not wanted. @internal */
  dropEarly(): void {
    this.#user.receive(new LLMMessagesAppendFrame([]), 'downstream');
  }

  /** Says the greeting now, unless it has been said. */
  greet(): void {
    this.#user.greet();
  }

  /** Another language is spoken from here on: the model knows it before it is asked again. */
  #speak(language: string): void {
    const isOther = this.#language === undefined || !isSameLanguage(this.#language, language);
    this.#language = language;
    this.context.language = languageOf(language);
    if (isOther) this.inform(`From now on, speak ${languageName(language)}.`);
  }

  /** A service that has just been interrupted may still hold what was said last: a transfer would overtake it. */
  async #passed(): Promise<void> {
    const mark = new FlushMarkerFrame();
    this.#user.receive(mark, 'downstream');
    await mark.passed.promise;
  }

  /** A turn of the bot is over: what it was told before has been done. */
  #followed(turnId: number, wasHeard: boolean): void {
    for (const instruction of this.#instructions) {
      if (turnId <= instruction.afterTurn) continue;
      this.#instructions.delete(instruction);
      instruction.heard.resolve(wasHeard);
    }
  }

  #report({ id, times }: Turn, wasInterrupted: boolean, early: EarlyQuestions | undefined): void {
    const report = reportOf(id, times, wasInterrupted, early);
    if (!report) return;
    const isNoted = this.#assistant.noteTurn(report, epochOf(startOf(times) as number));
    const log = this.#log ?? (isNoted ? undefined : printLine);
    if (log) this.#guard(() => log(lineOf(report)));
    this.#tell('turn', report);
  }

  #tell<Name extends keyof ConversationEvents>(name: Name, ...data: ConversationEvents[Name]): void {
    this.#guard(() => (this as EventEmitter).emit(name, ...data));
  }

  /** What others do when they are told something must not stop the call. */
  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#user.report(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A text is an easy mistake where nothing checks types, and would be found by a caller. */
function recordingProblems(recordings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(recordings)
    .filter(([, recording]) => recording !== undefined && !(recording instanceof OutputAudioFrame))
    .map(([name]) => `${name} must be an OutputAudioFrame`);
}

/** What the times of a turn count from, in monotonic milliseconds; undefined for a turn in which nothing was asked of anybody. */
const startOf = ({ callerStopped, modelRequested }: TurnTimes): number | undefined => callerStopped ?? modelRequested;

/** Undefined for a turn in which nothing was asked of anybody. */
function reportOf(
  turn: number,
  times: TurnTimes,
  wasInterrupted: boolean,
  early: EarlyQuestions | undefined,
): TurnReport | undefined {
  const start = startOf(times);
  if (start === undefined) return undefined;
  const steps = TURN_STEPS.flatMap((step) => {
    const at = times[step];
    return at === undefined ? [] : [[`${step}Ms`, Math.round(Math.max(0, at - start) * 10) / 10]];
  });
  const since = times.callerStopped === undefined ? 'model_requested' : 'caller_stopped';
  return { turn, since, ...Object.fromEntries(steps), wasInterrupted, ...(early && { early }) };
}
