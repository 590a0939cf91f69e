import { EventEmitter } from 'node:events';
import { VoicebotError } from '../../base/errors.js';
import { refuseUnknownEvents } from '../../base/names/event-names.js';
import { refuseUnknownOptions } from '../../base/names/option-names.js';
import type { CallDirection, EndReason } from '../../call/call.js';
import type { ConsultLeg } from '../../call/consult.js';
import { operatorNumber } from '../../call/operator-number.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import type { FailedTransfer, TransferOutcome } from '../../call/transfer-outcome.js';
import { DtmfFrame, OutputDtmfFrame, type TranscriptionFrame, TTSSpeakFrame } from '../pipeline/frames/index.js';
import type { FrameProcessor } from '../pipeline/index.js';
import { HANDLER } from '../pipeline/pipeline-task.js';
import type { LLMService } from '../services/llm/index.js';
import type { CheckedParts } from './bot-parts.js';
import { CALL_EVENTS, type CallEvents } from './call-events.js';
import { CallHandlers } from './call-handlers.js';
import { CallPipeline } from './call-pipeline.js';
import { CallSignals } from './call-signals.js';
import { CallTransfers } from './call-transfers.js';
import type { Heard, ListenOptions } from './caller-ear.js';
import type { ConsultOptions } from './consult-options.js';
import { ConsultedCalls } from './consulted-calls.js';
import { type ConverseOptions, prepareConversation, type Talk } from './converse.js';
import { type CallTransport, runnerOf } from './open-transport.js';
import { type LiveParts, listOf } from './parts/live-parts.js';
import { checkedKeys } from './pressed-keys.js';
import { type Sound, soundIn } from './sound.js';
import { type CallTransferOptions, TRANSFER_OPTIONS } from './transfer-options.js';

/**
 * A telephone call and what a bot can do in it: the same over a carrier's media stream and in a room, for a call that came
 * in and for one that went out. The other party is there when a bot gets it.
 *
 * Whatever takes time can be awaited, and ends when the call does. Nothing rejects because the call is over.
 */
export class Call<Body = Record<string, unknown>> extends EventEmitter<CallEvents> {
  /** The runner's identifier of the call, as in `voicebot calls`. */
  readonly id: string;
  readonly direction: CallDirection;
  /** E.164 where the provider gave a telephone number, otherwise as received. */
  readonly from: string | undefined;
  /** The caller's number is withheld or not known: `from` is undefined. Never of a dialled call. */
  readonly isWithheld: boolean;
  readonly to: string;
  /** 1 for the first bot of this call; 2 and 3 when an earlier one crashed or hung. */
  readonly attempt: number;
  /** How often a lost tunnel has cut the caller off from a bot. */
  readonly reconnects: number;
  /** The call whose bot has had this one dialled beside it; undefined for all others. */
  readonly linkedTo: string | undefined;
  /** Custom parameters of a call over a carrier, such as `campaign_id`; `{}` in a room. */
  readonly query: Readonly<Record<string, string>>;
  readonly #parts: Omit<CheckedParts<Body>, 'checkBody'>;
  readonly #pipeline: CallPipeline;
  readonly #transfers: CallTransfers;
  readonly #consulted: ConsultedCalls<Call>;
  readonly #hasVoice: boolean;
  readonly #runner: CallRunnerLink | undefined;
  #talk: Talk | undefined;
  /** Of the conversation. */
  #llm: Pick<LLMService, 'functionsUnderWay'> | undefined;
  /** Of a bot with a realtime model. */
  readonly #live: LiveParts | undefined;
  #isOwnPipeline = false;
  readonly #signals: CallSignals;
  readonly #handlers = new CallHandlers(this, (error, event) => this.#signals.warn(error, HANDLER, event));

  /** For `defineBot` and `acceptCall`. @internal */
  constructor(
    args: RunnerArguments,
    /** The custom data of the call, as its schema has it. */
    readonly body: Body,
    /** The specification's transport, which this call uses. */
    readonly transport: CallTransport,
    parts: Omit<CheckedParts<Body>, 'checkBody'>,
    openLeg: (leg: ConsultLeg) => Promise<Call>,
  ) {
    super();
    const { call } = args;
    this.id = call.id;
    this.direction = call.direction;
    this.from = call.from;
    this.isWithheld = call.isWithheld;
    this.to = call.to;
    this.attempt = call.attempt;
    this.reconnects = call.reconnects ?? 0;
    this.linkedTo = call.linkedTo;
    this.query = args.transport === 'carrier' ? args.query : {};
    this.#runner = runnerOf(args);
    this.#parts = parts;
    this.#live = parts.live();
    const { ears, voice } = this.#live ?? { ears: listOf(parts.stt()), voice: listOf(parts.tts()) };
    this.#hasVoice = voice.length > 0;
    this.#pipeline = new CallPipeline({
      args,
      transport,
      ears,
      voice,
      heard: (frame) => this.#heard(frame),
      ended: (reason) => this.#tell('hung_up', { reason }),
    });
    const warned = (warning: CallEvents['warning'][0]) => this.#tell('warning', warning);
    this.#signals = new CallSignals({ call: this, transport, task: this.#pipeline.task, warned });
    this.#consulted = new ConsultedCalls({ runner: this.#runner, open: openLeg, over: this.ended });
    this.#transfers = new CallTransfers({
      transport,
      pipeline: this.#pipeline,
      say: (text) => this.say(text),
      tell: (outcome) => this.#tell('transfer', outcome),
    });
    refuseUnknownEvents(this, CALL_EVENTS);
  }

  /** Aborted when the call is over. */
  get signal(): AbortSignal {
    return this.#pipeline.signal;
  }

  /** Resolves when the call is over, with the reason. Never rejects. */
  get ended(): Promise<EndReason> {
    return this.#pipeline.over;
  }

  get isOver(): boolean {
    return this.#pipeline.isOver;
  }

  /** A transfer that an earlier bot of this call had asked for, and that came to nothing: why the caller is with this bot. */
  get failedTransfer(): FailedTransfer | undefined {
    return this.#signals.failedTransfer;
  }

  /** The transport's output, for {@link run}. */
  get output(): FrameProcessor {
    return this.transport.output();
  }

  /**
   * What is spoken, a BCP 47 tag such as `es-MX`; undefined where neither {@link converse} nor this has said so. May be set at any time. The
   * ears understand it from the caller's last final words on, the voice speaks it from the next sentence on, what the bot says by itself
   * follows, and the model is told. A service that was given a language keeps it, and a `warning` says so.
   * @throws VoicebotError VB_CONFIG_INVALID for a tag that is malformed
   */
  get language(): string | undefined {
    return this.#pipeline.language;
  }

  set language(language: string) {
    this.#pipeline.speak(language);
  }

  /**
   * Lets the language model talk with the caller, with the bot's speech to text, model and voice; once in a call.
   * @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range or not known, when the bot has no
   *   model, and when the call has a conversation or a pipeline of its own already
   */
  converse<Inputs extends Record<string, unknown>>(options: ConverseOptions<Inputs>): Talk {
    const { live, llm = live ? undefined : this.#parts.llm() } = this.#live ?? {};
    if (!llm && !live) {
      throw new VoicebotError('VB_CONFIG_INVALID', 'converse needs a model: give the bot `llm`, or `live`');
    }
    this.#take('converse');
    this.#llm = llm ?? this.#live?.functions;
    const { conversation, processors } = prepareConversation(options as ConverseOptions<never>, {
      isOutbound: this.direction === 'outbound',
      language: this.language,
      bound: {
        transfer: (to, options) => this.#transfers.connect(to, options),
        speak: (language) => this.#pipeline.speak(language),
      },
      llm,
      tell: (name, ...data) => this.#tell(name, ...data),
    });
    this.#talk = { ended: this.ended, conversation, instruct: (text) => this.instruct(text) };
    const { lacksFunctions } = this.#live ?? {};
    if (lacksFunctions && conversation.context.tools.length > 0)
      throw new VoicebotError('VB_CONFIG_INVALID', lacksFunctions);
    live?.introduce(conversation.context);
    if (options.language !== undefined) this.language = options.language;
    this.#pipeline.fill(processors, [conversation.assistant()]);
    return this.#talk;
  }

  /**
   * Runs processors of the bot's own between the speech services of the bot, where it has some, and the caller's ear. What
   * stands behind {@link output} in the list comes behind it in the pipeline. Resolves when the call is over.
   * @throws the error that the pipeline has failed with; a bot function that rejects with it leaves the call to another bot.
   *   VoicebotError VB_CONFIG_INVALID when the call has a conversation or a pipeline of its own already
   */
  async run(processors: readonly FrameProcessor[]): Promise<void> {
    this.#take('run');
    this.#isOwnPipeline = true;
    const at = processors.indexOf(this.output);
    const middle = at < 0 ? processors : processors.slice(0, at);
    this.#pipeline.fill(middle, at < 0 ? [] : processors.slice(at + 1));
    await this.#untilOver();
  }

  /**
   * Says a text, or plays audio, behind everything said before.
   * @returns whether the caller has heard it to its end; false when it was interrupted, or the call is over
   * @throws VoicebotError VB_CONFIG_INVALID for a text when the bot has no voice
   */
  async say(what: string | Sound): Promise<boolean> {
    if (typeof what === 'string' && !this.#hasVoice) {
      throw new VoicebotError('VB_CONFIG_INVALID', 'say needs a voice for a text: give the bot `tts`');
    }
    this.#pipeline.ear.saying();
    return this.#pipeline.say(typeof what === 'string' ? [new TTSSpeakFrame(what)] : [what].flat());
  }

  /**
   * Plays a WAV file behind everything said before: mono, or the first channel of several.
   * @param file a path, or a `file:` URL such as `new URL('./hello.wav', import.meta.url)`
   * @returns as {@link say}
   * @throws VoicebotError VB_WAV_INVALID for a file that cannot be read
   */
  async play(file: string | URL): Promise<boolean> {
    return this.say(await soundIn(file));
  }

  /** Drops what is being said. */
  interrupt(): void {
    this.#pipeline.interrupt();
  }

  /**
   * Waits for keys or words of the caller's. Keys pressed since the bot last began to say something count.
   * @returns undefined when nothing came in time, or the call is over
   * @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known, for words without speech to
   *   text, and when the call is listened to already
   */
  async listen(options: ListenOptions = {}): Promise<Heard | undefined> {
    return this.#pipeline.ear.listen(options);
  }

  /**
   * Presses keys, when everything said before has been heard.
   * @param keys 1 to 64 of `0-9 * # A-D`; in a room at most 20
   * @throws VoicebotError VB_REQUEST_INVALID
   */
  async press(keys: string): Promise<void> {
    await this.#pipeline.say([new OutputDtmfFrame(checkedKeys(keys))]);
  }

  /**
   * Tells the model of the conversation what to do, and asks it for an answer. Must not be awaited in a tool, whose return
   * the model waits for.
   * @returns whether the caller has heard the answer to its end
   * @throws VoicebotError VB_CONFIG_INVALID when there is no conversation
   */
  async instruct(text: string): Promise<boolean> {
    if (!this.#talk) throw new VoicebotError('VB_CONFIG_INVALID', 'instruct needs a conversation: call converse first');
    return this.#talk.conversation.instruct(text);
  }

  /**
   * Connects the caller with another person, when everything said before has been heard. When they answer, the bot leaves the
   * call; otherwise the caller is with the bot again. What the caller says meanwhile does not count.
   * @param to E.164, in a room also a `sip:` address; default `OPERATOR_NUMBER`, else the sandbox's operator
   * @returns what became of it; a transfer that is refused is told as `refused`
   * @throws VoicebotError VB_REQUEST_INVALID for an option that is not known; VB_CONFIG_INVALID for a text when the bot has no voice
   */
  async transfer(to: string = operatorNumber(), options: CallTransferOptions = {}): Promise<TransferOutcome> {
    refuseUnknownOptions(options, TRANSFER_OPTIONS, 'VB_REQUEST_INVALID');
    const outcome = await this.#transfers.transfer(to, options);
    if (outcome.status === 'answered') await this.hangUp();
    return outcome;
  }

  /**
   * Calls somebody beside this call, under the limits of every call that goes out, such as a colleague before the caller is connected.
   * Resolves when they have answered, or have not: then with a call that `isOver`, for the reason that its `ended` gives.
   * @param to E.164
   * @returns a call of its own, `linkedTo` this one, which is hung up at the latest when this one is over
   * @throws VoicebotError VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT, VB_STREAM_CLOSED, VB_TRANSFER_FAILED, or the provider's
   */
  async consult(to: string, options: ConsultOptions = {}): Promise<Call> {
    return this.#consulted.consult(to, options);
  }

  /** Keeps nothing of what follows: audio, what is said and pressed, what functions of the model take and return. */
  pauseRecording(): void {
    this.#runner?.pauseRecording?.();
  }

  /** Keeps everything again. */
  resumeRecording(): void {
    this.#runner?.resumeRecording?.();
  }

  /** Ends the call when all said so far has been heard and the model's functions have returned, after 10 s at most; resolves when it is over. */
  async hangUp(): Promise<void> {
    const work = this.#llm?.functionsUnderWay();
    if (work) await work;
    this.#talk?.conversation.dropEarly();
    this.#pipeline.end();
    await this.ended;
  }

  /**
   * @internal For `defineBot`: until the conversation or the bot's own pipeline has ended, and all handlers have; a call without either is hung up.
   * @throws the error that the pipeline has failed with
   */
  async finish(): Promise<void> {
    if (!this.#talk && !this.#isOwnPipeline && !(await this.#consulted.leave())) this.#pipeline.end();
    await this.ended;
    if (!this.#pipeline.failure) await this.#handlers.settled(); // the caller of one that has failed waits for the next bot
    await this.#untilOver();
  }

  /** What its pipeline has failed with. @internal */
  get failure(): Error | undefined {
    return this.#pipeline.failure;
  }

  /** The callee was not reached. @internal */
  lost(reason: EndReason): void {
    this.#pipeline.lost(reason);
  }

  /** For `acceptCall`: resolves when the other party is there, or will not be. @throws VoicebotError @internal */
  async start(): Promise<this> {
    await this.#pipeline.start();
    return this;
  }

  async #untilOver(): Promise<void> {
    await this.ended;
    if (this.#pipeline.failure) throw this.#pipeline.failure;
  }

  #take(method: string): void {
    if (!this.#talk && !this.#isOwnPipeline) return;
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `${method}: the call has a conversation or a pipeline of its own already`,
    );
  }

  #heard(frame: DtmfFrame | TranscriptionFrame): void {
    if (frame instanceof DtmfFrame) this.#tell('dtmf', { digit: frame.digit });
    else if (!this.#talk) this.#tell('transcript', { speaker: 'caller', text: frame.text, wasInterrupted: false });
  }

  #tell<Name extends keyof CallEvents>(name: Name, ...data: CallEvents[Name]): void {
    this.#handlers.tell(name, data);
  }
}
