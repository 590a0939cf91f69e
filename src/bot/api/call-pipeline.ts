import { deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import type { BotEndReason, EndReason } from '../../call/call.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  type CancelReason,
  DtmfFrame,
  EndFrame,
  type Frame,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  InterimTranscriptionFrame,
  OutputDtmfFrame,
  SpeechLanguageFrame,
  TranscriptionFrame,
} from '../pipeline/frames/index.js';
import { type FrameProcessor, Pipeline, PipelineTask } from '../pipeline/index.js';
import { canonicalLanguage } from '../pipeline/language.js';
import { legFailure } from '../transports/room/leg-failure.js';
import { RoomsTransport } from '../transports/room/rooms-transport.js';
import { WebSocketTransport } from '../transports/stream/websocket-transport.js';
import { CallerEar } from './caller-ear.js';
import type { CallTransport } from './open-transport.js';
import { Slot } from './slot.js';
import { SpokenMarks } from './spoken-marks.js';

/** What the caller presses or says: words that may change yet among it. */
export type CallerFrame = DtmfFrame | TranscriptionFrame | InterimTranscriptionFrame;

export interface CallPipelineOptions {
  readonly args: RunnerArguments;
  readonly transport: CallTransport;
  /** What writes down what the caller says, in order; empty where nothing does. */
  readonly ears: readonly FrameProcessor[];
  /** What makes the bot's speech, in order; empty where nothing does. */
  readonly voice: readonly FrameProcessor[];
  /** Asked first of what the caller presses or says: it may take a key. */
  hearsFirst(frame: CallerFrame): void;
  heard(frame: CallerFrame): void;
  /** Once, before {@link CallPipeline.over} resolves. */
  ended(reason: EndReason): void;
}

/**
 * The one pipeline of a call, from its first moment to its last: `input, stt, (middle), voice, output, (behind)`. What a bot
 * does with the call is put into the two slots while it runs.
 */
export class CallPipeline {
  readonly task: PipelineTask;
  readonly ear: CallerEar;
  /** Something writes down what the caller says. */
  readonly hasEars: boolean;
  readonly #options: CallPipelineOptions;
  readonly #middle = new Slot((frame) => this.#hear(frame));
  readonly #behind = new Slot((frame) => this.#see(frame));
  readonly #spoken = new SpokenMarks();
  readonly #joined = deferred();
  readonly #over = deferred<EndReason>();
  readonly #abort = new AbortController();
  #mutes = 0;
  #language: string | undefined;
  #reason: EndReason | undefined;
  #cancelled: CancelReason | undefined;
  #failure: Error | undefined;
  #hasJoined = false;
  /** The other party has left the room. */
  #hasLeft = false;

  constructor(options: CallPipelineOptions) {
    const { args, transport, ears, voice } = options;
    this.#options = options;
    const isTranscribed = transport instanceof RoomsTransport && transport.isTranscribed;
    this.hasEars = ears.length > 0 || isTranscribed;
    this.ear = new CallerEar(this.hasEars);
    if (ears.length > 0 && isTranscribed) transport.hearByEvents();
    const pipeline = new Pipeline([
      transport.input(),
      ...ears,
      ...this.#middle.ends,
      ...voice,
      transport.output(),
      ...this.#behind.ends,
    ]);
    const isWideband = transport instanceof WebSocketTransport && transport.sampleRate > 8_000;
    const sampleRate = isWideband ? 16_000 : 8_000;
    this.task = new PipelineTask(pipeline, {
      signal: args.signal,
      audioInSampleRate: sampleRate,
      audioOutSampleRate: sampleRate,
    });
  }

  get isOver(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Aborted when the call is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves when the call is over, with the reason. Never rejects. */
  get over(): Promise<EndReason> {
    return this.#over.promise;
  }

  /** What made the pipeline end, when it failed: the bot must not hang up, for another one may take over. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Runs the pipeline, and dials where the bot is to. Resolves when the other party is there, or will not be.
   * @throws VoicebotError when the call that is to go out is refused
   */
  async start(): Promise<void> {
    void this.task
      .run()
      .catch((error: Error) => {
        this.#failure = error;
      })
      .then(() => this.#finish());
    const there = Promise.race([this.#joined.promise, this.over]);
    await Promise.race([there, this.#dial().then(() => there)]);
    if (this.#failure) throw this.#failure;
  }

  /** The other party was not reached: the pipeline never runs. */
  lost(reason: EndReason): void {
    this.endsFor(reason);
    this.#finish();
  }

  /** Puts in what a bot does with the call. Does nothing when the call is over. */
  fill(middle: readonly FrameProcessor[], behind: readonly FrameProcessor[]): void {
    this.#behind.fill(behind);
    this.#middle.fill(middle);
  }

  /** The same with what stands before and behind the output in a list; all of it before where the output is not in it. */
  fillAround(output: FrameProcessor, processors: readonly FrameProcessor[]): void {
    const at = processors.indexOf(output);
    this.fill(at < 0 ? processors : processors.slice(0, at), at < 0 ? [] : processors.slice(at + 1));
  }

  /** Presses keys behind everything said before. @throws VoicebotError VB_REQUEST_INVALID */
  async press(keys: string): Promise<void> {
    if (!/^[0-9*#A-D]{1,64}$/.test(keys)) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'keys must be 1 to 64 of 0-9 * # A-D');
    }
    await this.say([new OutputDtmfFrame(keys)]);
  }

  /** Has the frames said behind everything said before. @returns whether the caller has heard them to their end */
  say(frames: readonly Frame[]): Promise<boolean> {
    if (this.isOver) return Promise.resolve(false);
    const mark = this.#spoken.next();
    for (const frame of [...frames, mark]) this.#middle.send(frame);
    return mark.heard;
  }

  /** Hands a frame to what makes the bot's speech. Does nothing when the call is over. */
  send(frame: Frame): void {
    if (!this.isOver) this.#middle.send(frame);
  }

  /** Something failed and the call goes on, or is ended in order. */
  report(error: Error): void {
    this.task.noteProblem(error, undefined);
    this.task.emit('problem', error, undefined);
  }

  /** What the caller says from here on is kept for {@link past}, until there is a conversation. */
  keepPast(): void {
    this.#middle.keepPast();
  }

  /** What the caller has been heard to say since {@link keepPast}. */
  get past(): readonly Frame[] {
    return this.#middle.past;
  }

  /** What is spoken in the call, a BCP 47 tag; undefined where the bot has not said so. */
  get language(): string | undefined {
    return this.#language;
  }

  /** Has another language spoken from here on. @throws VoicebotError VB_CONFIG_INVALID for a tag that is malformed */
  speak(tag: string): void {
    const language = canonicalLanguage(tag);
    const from = this.#language;
    if (language === from || this.isOver) return;
    this.#language = language;
    this.task.queueFrame(new SpeechLanguageFrame(language, from));
  }

  /** Drops what is being said. */
  interrupt(): void {
    if (!this.isOver) this.#middle.interrupt();
  }

  /** Until the returned function is called, once, what the caller says does not count, they are asked nothing, and no idle limit ends the call. */
  mute(): () => void {
    this.#mutes += 1;
    const call = { id: `call-${this.#mutes}`, name: 'call', input: {} };
    const heedIdle = this.task.excuseIdle();
    this.#middle.broadcast(() => new FunctionCallsStartedFrame([call], true));
    return () => {
      heedIdle();
      this.#middle.broadcast(
        () => new FunctionCallsEndedFrame([{ callId: call.id, name: call.name, output: undefined, isError: false }]),
      );
    };
  }

  /** Ends the call when everything said so far has been heard. */
  end(reason?: BotEndReason): void {
    if (!this.isOver) this.#middle.send(new EndFrame(reason));
  }

  /** The first reason counts. */
  endsFor(reason: EndReason): void {
    this.#reason ??= reason;
  }

  /** Calls who is to be called; what becomes of that is told by the transport. */
  async #dial(): Promise<void> {
    const { args, transport } = this.#options;
    if (!(transport instanceof RoomsTransport)) return;
    transport.on('dialout_error', (_transport, { errorMsg }) =>
      this.#notReached(legFailure(errorMsg) ?? 'telephony_error'),
    );
    transport.on('dialin_error', () => this.#notReached('telephony_error'));
    transport.on('participant_left', (_transport, { kind }) => {
      if (kind !== 'web') this.#hasLeft = true;
    });
    const phoneNumber = args.transport === 'rooms' ? args.phone_number : undefined;
    if (phoneNumber !== undefined) await transport.startDialout({ phoneNumber });
  }

  #notReached(reason: EndReason): void {
    if (!this.#hasJoined) this.endsFor(reason);
  }

  #hear(frame: Frame): void {
    if (frame instanceof CallerJoinedFrame) this.#join();
    else if (frame instanceof CancelFrame) this.#cancelled ??= frame.reason;
    else if (
      frame instanceof DtmfFrame ||
      frame instanceof TranscriptionFrame ||
      frame instanceof InterimTranscriptionFrame
    ) {
      this.#options.hearsFirst(frame);
      if (frame instanceof DtmfFrame) this.ear.press(frame);
      else if (frame instanceof TranscriptionFrame) this.ear.hear(frame.text, frame.endsUtterance);
      else this.ear.hearInterim();
      this.#options.heard(frame);
    }
  }

  #join(): void {
    this.#hasJoined = true;
    this.#joined.resolve();
  }

  #see(frame: Frame): void {
    this.#spoken.see(frame);
    if (frame instanceof EndFrame) this.endsFor(frame.reason);
  }

  #finish(): void {
    const reason = this.#reason ?? this.#reasonOfCancel();
    this.#abort.abort();
    this.ear.close();
    this.#spoken.close();
    this.#options.ended(reason);
    this.#over.resolve(reason);
  }

  #reasonOfCancel(): EndReason {
    const { args, transport } = this.#options;
    if (this.#failure || this.#cancelled === 'failed') return 'bot_crashed';
    if (this.#cancelled === 'idle') return 'bot_ended';
    if (!this.#hasJoined && args.call.direction === 'outbound') return 'no_answer';
    const isOpen =
      transport instanceof WebSocketTransport
        ? transport.websocket.readyState === transport.websocket.OPEN
        : !this.#hasLeft;
    return this.#cancelled === 'cancelled' && isOpen ? 'runner_stopped' : 'caller_hung_up';
  }
}
