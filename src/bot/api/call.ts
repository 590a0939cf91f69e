import { VoicebotError } from '../../base/errors.js';
import { refuseUnknownEvents } from '../../base/names/event-names.js';
import type { EndReason } from '../../call/call.js';
import type { ConsultLeg } from '../../call/consult.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { FailedTransfer, FailedWarmTransfer } from '../../call/transfer-outcome.js';
import { DtmfFrame, InterimTranscriptionFrame, TTSSpeakFrame } from '../pipeline/frames/index.js';
import type { FrameProcessor } from '../pipeline/index.js';
import type { LLMService } from '../services/llm/index.js';
import type { CheckedParts } from './bot-parts.js';
import { CallDoNotCall } from './call-do-not-call.js';
import { CALL_EVENTS, type CallEvents } from './call-events.js';
import { CallHandlers } from './call-handlers.js';
import { CallHandovers } from './call-handovers.js';
import { CallKeeping } from './call-keeping.js';
import { CallLeg } from './call-leg.js';
import { CallOpening } from './call-opening.js';
import { type CallerFrame, CallPipeline } from './call-pipeline.js';
import { CallTransfers } from './call-transfers.js';
import type { Heard, ListenOptions } from './caller-ear.js';
import { type ConverseOptions, prepareConversation, type Talk } from './converse.js';
import { followTransport } from './follow-transport.js';
import { type CallTransport, runnerOf } from './open-transport.js';
import { type LiveParts, listOf } from './parts/live-parts.js';
import { type Sound, soundIn } from './sound.js';
import { type WriteBrief, writtenBy } from './written-brief.js';

/**
 * A telephone call and what a bot can do in it: the same over a carrier's media stream and in a room, for a call that came
 * in and for one that went out. The other party is there when a bot gets it.
 *
 * Whatever takes time can be awaited, and ends when the call does. Nothing rejects because the call is over.
 */
export class Call<Body = Record<string, unknown>> extends CallHandovers<Call> {
  readonly #parts: Omit<CheckedParts<Body>, 'checkBody'>;
  readonly #pipeline: CallPipeline;
  /** Who is at the other end, on hold or joined with others. @internal */
  readonly leg: CallLeg;
  readonly #transfers: CallTransfers<Call>;
  /** @internal */
  protected readonly list: CallDoNotCall;
  readonly #hasVoice: boolean;
  readonly #opening: CallOpening;
  /** @internal */
  protected readonly keeping: CallKeeping;
  #talk: Talk | undefined;
  /** Of the conversation. */
  #llm: Pick<LLMService, 'functionsUnderWay'> | undefined;
  #write: WriteBrief | undefined;
  /** Of a bot with a realtime model. */
  readonly #live: LiveParts | undefined;
  #isOwnPipeline = false;
  #failedTransfer: FailedTransfer | FailedWarmTransfer | undefined;
  readonly #handlers = new CallHandlers(this, () => this.#pipeline.task);

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
    super(args);
    const { call } = args;
    const runner = runnerOf(args);
    this.#parts = parts;
    this.#live = parts.live();
    const { ears, voice } = this.#live ?? { ears: listOf(parts.stt()), voice: listOf(parts.tts()) };
    this.#hasVoice = voice.length > 0;
    this.#pipeline = new CallPipeline({
      args,
      transport,
      ears,
      voice,
      hearsFirst: (frame) => this.keeping.hear(frame),
      heard: (frame) => this.#heard(frame),
      ended: (reason) => this.#tell('hung_up', { reason }),
    });
    followTransport(transport, {
      transferFailed: (transfer) => {
        this.#failedTransfer = transfer;
      },
      warned: (error) => this.#handlers.warn(error, 'transport'),
    });
    this.#pipeline.task.on('problem', (error, source) => this.#handlers.warn(error, source));
    this.leg = new CallLeg(this, { party: transport.party, pipeline: this.#pipeline, runner });
    this.#transfers = new CallTransfers<Call>({
      call: this,
      transport,
      pipeline: this.#pipeline,
      hasVoice: this.#hasVoice,
      writer: () => this.#write,
      open: openLeg,
      tell: (outcome) => this.#tell('transfer', outcome),
    });
    const { notices } = parts;
    const asked = { ...Object(body), ...this.query };
    const opening = new CallOpening({ runner, notices, pipeline: this.#pipeline, call, asked });
    this.#opening = opening;
    this.keeping = new CallKeeping({ runner, notices, pipeline: this.#pipeline, opening, hasVoice: this.#hasVoice });
    this.list = new CallDoNotCall(this, {
      options: parts.doNotCall,
      runner,
      hasVoice: this.#hasVoice,
      pipeline: this.#pipeline,
      opening,
      conversation: () => this.#talk?.conversation,
      tell: (how, outcome) => this.#tell('do_not_call', { how, outcome }),
      warn: (error) => this.#handlers.warn(error, 'doNotCall'),
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
  get failedTransfer(): FailedTransfer | FailedWarmTransfer | undefined {
    return this.#failedTransfer;
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
      gate: this.#opening.gate,
      language: this.language,
      bound: {
        transfer: (to, options) => this.#transfers.connect(to, options),
        speak: (language) => this.#pipeline.speak(language),
        doNotCall: (say) => this.list.ask('tool', say),
      },
      llm,
      tell: (name, ...data) => this.#tell(name, ...data),
    });
    this.#write = llm && ((prompt, signal) => writtenBy(llm, conversation.context, prompt, signal));
    this.#talk = { ended: this.ended, conversation, instruct: (text) => this.instruct(text) };
    const { lacksFunctions } = this.#live ?? {};
    if (lacksFunctions && conversation.context.tools.length > 0)
      throw new VoicebotError('VB_CONFIG_INVALID', lacksFunctions);
    live?.introduce(conversation.context);
    if (options.language !== undefined) this.language = options.language;
    this.#pipeline.fill(processors, [conversation.assistant()]);
    this.list.introduce();
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
    this.#pipeline.fillAround(this.output, processors);
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
    await this.#pipeline.press(keys);
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

  /** @internal */
  protected override handovers(): CallTransfers<Call> {
    return this.#transfers;
  }

  /** Ends the call when all said so far has been heard and the model's functions have returned, after 10 s at most; resolves when it is over. */
  async hangUp(): Promise<void> {
    for (const work of [this.#llm?.functionsUnderWay(), this.list.settled])
      if (work) await Promise.race([work, this.ended]);
    this.#talk?.conversation.dropEarly();
    this.#pipeline.end();
    await this.ended;
  }

  /**
   * @internal For `defineBot`: until the conversation or the bot's own pipeline has ended, or those whom the bot has left to each other have
   *   hung up, and all handlers have ended; a call with none of these is hung up.
   * @throws the error that the pipeline has failed with
   */
  async finish(): Promise<void> {
    await Promise.race([this.list.settled, this.ended]);
    this.#transfers.consulting.end();
    if (!this.#talk && !this.#isOwnPipeline && !this.leg.isLeft) this.#pipeline.end();
    await this.ended;
    await this.#transfers.over();
    if (!this.#pipeline.failure) await this.#handlers.settled(this.list.settled); // the caller of one that has failed waits for the next bot
    await this.#untilOver();
  }

  /**
   * @internal For `defineBot`: goes on with what an earlier bot of the call was about to hand over.
   * @returns whether the bot function has a call: false where the two are connected, or the caller has left
   */
  async takeOver(): Promise<boolean> {
    const handover = this.leg.runner?.handover;
    if (!handover) return true;
    this.#failedTransfer = await this.#transfers.takeOver(handover);
    if (this.failedTransfer) this.list.resume();
    return this.failedTransfer !== undefined;
  }

  /** What its pipeline has failed with. @internal */
  get failure(): Error | undefined {
    return this.#pipeline.failure;
  }

  /** The callee was not reached. @internal */
  lost(reason: EndReason): void {
    this.#pipeline.lost(reason);
  }

  /** For `acceptCall`: resolves when the other party is there and has heard what they have to hear first, or will not be. @throws VoicebotError @internal */
  async start(): Promise<this> {
    await this.#pipeline.start();
    await this.#opening.say();
    if (!this.leg.runner?.handover) this.list.resume();
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

  #heard(frame: CallerFrame): void {
    this.list.hear(frame);
    if (frame instanceof InterimTranscriptionFrame) return;
    this.leg.heard(frame);
    if (frame instanceof DtmfFrame) this.#tell('dtmf', { digit: frame.digit });
    else if (!this.#talk) this.#tell('transcript', { speaker: 'caller', text: frame.text, wasInterrupted: false });
  }

  #tell<Name extends keyof CallEvents>(name: Name, ...data: CallEvents[Name]): void {
    this.#handlers.tell(name, data);
  }
}
