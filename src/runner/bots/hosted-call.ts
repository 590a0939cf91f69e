import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { isAbortOf, settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { errorTypeOf } from '../../base/errors.js';
import { reportException } from '../../base/exception/report-exception.js';
import type { RecordingOrder } from '../../call/call-tape.js';
import type { Handover } from '../../call/consult.js';
import type { HeardNotice, HeardNotices, NoticeKind } from '../../call/disclosure.js';
import type { EarlierDoNotCall } from '../../call/do-not-call.js';
import type { BotFunction, RunnerArguments } from '../../call/runner-arguments.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import type { TypedSentences } from '../../call/stand-ins.js';
import type { CallTracer } from '../tracing/call-tracer.js';
import type { Tracing } from '../tracing/tracing.js';
import { AskedDoNotCall } from './asked-do-not-call.js';
import { BegunWords } from './begun-words.js';
import { knownError } from './bot-load-error.js';
import { BotRecording } from './bot-recording.js';
import { BotTimeline } from './bot-timeline.js';
import { ConsultedLegs } from './consulted-legs.js';
import {
  type BotOutcome,
  type FromBot,
  GOODBYE_MS,
  type MessageFromBot,
  SETTLE_LIMIT_MS,
  type ServedCall,
  type ServeMessage,
  type ServeRoomMessage,
  type ToBot,
} from './messages.js';

/** Longest wait for the disk at the end of a call, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

/** What the calls of one process share. */
export interface Hosting {
  readonly bot: BotFunction;
  /** Tells the runner. */
  readonly send: (message: MessageFromBot) => void;
  /** Whether the runner is gone: the bot process alone keeps the limits of calls then. */
  readonly isOrphan: () => boolean;
  /** Where the bot file has set up OpenTelemetry. */
  readonly tracing?: Tracing | undefined;
  /** Removes the recordings of a call and of those that are linked with it, which have its voices too. Never throws. */
  readonly removeRecordings: (call: ServedCall) => void;
}

/** The bot's side of one call: runs the bot function, and tells it when the call is over. Lives in the bot's process. */
export abstract class HostedCall {
  protected readonly abort = new AbortController();
  /** The call is over as far as its bot can know. */
  readonly #over = deferred();
  protected readonly timeline: BotTimeline;
  protected readonly call: ServedCall;
  /** Those that its bot has had dialled beside it. */
  readonly legs: ConsultedLegs;
  readonly #handover: Handover | undefined;
  readonly #tracer: CallTracer | undefined;
  #beforeReturn: (() => Promise<void>) | undefined;
  /** The class of what the bot function has thrown, if it has. */
  thrown: string | undefined;
  /** Missing where the call is not recorded. */
  private readonly recording: RecordingOrder | undefined;
  readonly #recording: BotRecording | undefined;
  readonly #doNotCall: AskedDoNotCall;
  readonly #askedNotToBeCalled: EarlierDoNotCall | undefined;
  readonly #heardNotices: HeardNotices | undefined;
  /** What the caller was saying while nothing was kept; missing where nothing is. */
  readonly #begun: BegunWords | undefined;
  #isPaused = false;
  /** Nothing is kept before the other party has heard that the call is recorded. */
  #awaitsNotice: boolean;
  #isRemoved = false;
  #isSilent = false;
  readonly #typed: TypedSentences = new EventEmitter();

  /** @param delayMs how long what the bot says takes to be heard and answered, at the least */
  constructor(
    message: ServeMessage | ServeRoomMessage,
    protected readonly hosting: Hosting,
    delayMs = 0,
  ) {
    const { call, type, handover, recording, heardNotices, traceparent, tellsTalk = false, doNotCall } = message;
    this.call = call;
    this.#handover = handover;
    this.legs = new ConsultedLegs({ tell: (told) => this.tell(told), isOrphan: hosting.isOrphan });
    this.#askedNotToBeCalled = doNotCall;
    this.#doNotCall = new AskedDoNotCall((told) => this.tell(told), hosting.isOrphan);
    this.recording = recording;
    this.#heardNotices = heardNotices;
    this.#awaitsNotice = recording?.notice === 'awaited';
    const timeline = new BotTimeline(call.attempt, (events) => this.tell({ type: 'noted', events }), tellsTalk);
    this.timeline = timeline;
    this.#keepSecrets();
    if (recording) {
      this.#recording = new BotRecording(recording, call.attempt, delayMs, (entry) => timeline.note(entry));
      const begun = new BegunWords(this.#recording.tape.speech);
      this.#begun = begun;
      timeline.hides = (entry) => begun.hides(entry);
      timeline.sinks.push(this.#recording);
      this.#keepSecrets();
    }
    const transport = type === 'serve' ? 'carrier' : 'rooms';
    // what a trace shows could not be taken back
    this.#tracer = hosting.tracing?.begin({ call, transport, traceparent, mayShow: recording?.notice === undefined });
    if (!this.#tracer) return;
    timeline.sinks.push(this.#tracer);
    timeline.note({ type: 'trace', traceparent: this.#tracer.traceparent });
  }

  /** What the call's transport has of its runner, whatever it is. */
  protected get link(): CallRunnerLink {
    const { timeline } = this;
    return {
      timeline,
      standIns: { callId: this.call.id, typed: this.#typed },
      tape: this.#recording?.tape,
      pauseRecording: () => this.#pause(true),
      resumeRecording: () => this.#pause(false),
      consult: (request) => this.legs.consult(request),
      handover: this.#handover,
      tellHandover: (handover) => this.tell({ type: 'handover', handover }),
      beforeReturn: (wait) => {
        this.#beforeReturn = wait;
      },
      doNotCall: (how) => this.#doNotCall.ask(how),
      askedNotToBeCalled: this.#askedNotToBeCalled,
      tellDoNotCall: (isHeard) => this.tell({ type: 'do_not_call_told', isHeard }),
      heardNotices: this.#heardNotices,
      isRecorded: () => this.#recording !== undefined && !this.#isRemoved,
      tellNotice: (kind, heard) => this.#noticeHeard(kind, heard),
      forgetNotices: () => this.#forgetNotices(),
      removeRecording: () => this.removeRecording(),
    };
  }

  /**
   * Runs the bot function, which is given up when it goes on for too long after the end of the call.
   * @param limitMs longest the call may last, in milliseconds
   */
  async run(limitMs: number): Promise<BotOutcome> {
    const { id } = this.call;
    const limit = setTimeout(() => this.limitReached(), limitMs);
    const settled = this.#tracer ? this.#tracer.run(() => this.#runBot()) : this.#runBot();
    await Promise.race([settled, this.#over.promise]);
    this.legs.left(this.thrown !== undefined || !this.isEndedByBot);
    clearTimeout(limit);
    if (!(await settlesWithin(settled, SETTLE_LIMIT_MS))) {
      console.error(`bot of call ${id} has not returned ${SETTLE_LIMIT_MS / 1_000} s after the end of the call`);
    }
    await this.letGo();
    this.timeline.tellUsage();
    if (this.#recording) await settlesWithin(this.#recording.close(), CLOSE_LIMIT_MS);
    this.timeline.flush();
    const outcome = await Promise.race([settled, 'threw' as const]);
    this.#tracer?.end(outcome === 'threw' ? (this.thrown ?? 'timeout') : undefined);
    // another bot waits to take over from one that has failed
    if (this.#tracer && outcome === 'returned') await this.hosting.tracing?.send();
    return outcome;
  }

  /** What the runner tells about the call. @param socket the stream that comes with `stream` */
  receive(message: ToBot, socket?: Socket): void {
    if (message.type === 'end') this.end();
    else if (message.type === 'call_over') this.callOver();
    else if (message.type === 'abandon') this.abandon();
    else if (message.type === 'consult_answer' || message.type === 'leg_lost') this.legs.hear(message);
    else if (message.type === 'remove_recording') this.hosting.removeRecordings(this.call);
    else if (message.type === 'do_not_call_answer') this.#doNotCall.answered(message);
    else if (message.type === 'typed') this.#typed.emit('sentence', message.text, message.at, message.by);
    else this.hear(message, socket);
  }

  /** Asks the bot to end the call. */
  end(): void {
    this.abort.abort();
  }

  /** Whether a call is this one, or one of the two was dialled beside the other. */
  isBy({ id, linkedTo }: ServedCall): boolean {
    return [id, linkedTo].includes(this.call.id) || this.call.linkedTo === id;
  }

  /**
   * The other party wishes that nothing is kept: nothing more is, and what there is of it and of the calls linked with it goes.
   * @throws the system's error: the runner, which is told all the same, tries again
   */
  removeRecording(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#keepSecrets();
    try {
      if (this.#recording) this.#remove(this.#recording);
    } finally {
      this.hosting.removeRecordings(this.call);
    }
  }

  /** What the runner was to bring will not come any more. */
  runnerGone(): void {
    this.legs.runnerGone();
  }

  /** The call has ended. */
  protected callOver(): void {
    this.legs.left(!this.isEndedByBot); // before the bot learns of the end, which would have it hang up
    this.abort.abort();
    this.#over.resolve();
  }

  /** @param error about audio that no other bot could read either */
  protected cannotRead(error: unknown): void {
    const known = knownError(error);
    if (known) this.tell({ type: 'unreadable', error: known });
  }

  protected tell(message: FromBot): void {
    if (message.type === 'stream_over') this.timeline.tellUsage(); // the call may be over with it
    if (message.type !== 'noted') this.timeline.flush(); // what was said before comes before
    this.hosting.send({ ...message, callId: this.call.id });
  }

  /** The runner ends calls at their limits; when it is gone, the bot is asked to, and has a moment to say goodbye. */
  protected limitReached(): void {
    if (!this.hosting.isOrphan()) return;
    this.abort.abort();
    setTimeout(() => this.goodbyeOver(), GOODBYE_MS).unref();
  }

  /** Ends the call of a bot that has not, where that can be done from here. */
  protected goodbyeOver(): void {}

  /** Its bot has ended it, and no other one takes it over. */
  protected abstract get isEndedByBot(): boolean;
  protected abstract arguments(): RunnerArguments;
  /** The bot function has returned. */
  protected abstract returned(): void;
  /** The bot function has thrown. */
  protected abstract threw(): void;
  /** Another bot takes the call over. */
  protected abstract abandon(): void;
  protected abstract hear(message: ToBot, socket?: Socket): void;
  /** The bot is done with the call. */
  protected abstract letGo(): Promise<void>;

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#keepSecrets();
    this.timeline.note({ type: 'recording', is: isPaused ? 'paused' : 'resumed' });
  }

  #noticeHeard(kind: NoticeKind, heard: HeardNotice): void {
    this.tell({ type: 'notice_heard', notice: kind, heard });
    if (kind !== 'recording') return;
    this.#awaitsNotice = false;
    this.#keepSecrets();
  }

  #forgetNotices(): void {
    this.tell({ type: 'notices_forgotten' });
    this.#awaitsNotice = this.recording?.notice !== undefined;
    this.#keepSecrets();
  }

  #remove(recording: BotRecording): void {
    const { sinks } = this.timeline;
    sinks.splice(sinks.indexOf(recording), 1);
    try {
      recording.remove();
    } finally {
      this.tell({ type: 'recording_removed' });
      this.timeline.note({ type: 'recording', is: 'removed' });
    }
  }

  #keepSecrets(): void {
    const { recording } = this;
    const isSilent = this.#isPaused || this.#awaitsNotice || this.#isRemoved;
    if (isSilent) this.#recording?.tape.pause();
    else this.#recording?.tape.resume();
    if (!isSilent && this.#isSilent) this.#begun?.keep();
    this.#isSilent = isSilent;
    this.timeline.secrecy = { hidesTalk: isSilent || !recording, maskDigits: recording?.maskDigits ?? false };
  }

  async #runBot(): Promise<BotOutcome> {
    try {
      await this.hosting.bot(this.arguments());
      await this.#beforeReturn?.();
      this.returned();
      return 'returned';
    } catch (error) {
      if (isAbortOf(this.abort.signal, error)) {
        this.returned(); // the end of the call has ended a wait of the bot
        return 'returned';
      }
      this.thrown = errorTypeOf(error);
      const { id, attempt } = this.call;
      reportException(`bot failed in call ${id} (attempt ${attempt})`, error, { callId: id, isFatal: true });
      const code = knownError(error)?.code;
      if (code === 'VB_WAV_INVALID') this.cannotRead(error);
      else if (code === 'VB_CONFIG_INVALID') this.tell({ type: 'misconfigured' });
      this.threw();
      return 'threw';
    }
  }
}
