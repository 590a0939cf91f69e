import { settlesWithin, withDeadline } from '../../async/deadline.js';
import type { BotEndReason, EndReason } from '../../call/call.js';
import type { RoomsDialinSettings } from '../../call/rooms-dialin-request.js';
import type { RoomNews, RoomRunnerLink } from '../../call/runner-link.js';
import { SilenceWatch } from '../../call/silence-watch.js';
import type { AcceptedTransferOutcome } from '../../call/transfer-outcome.js';
import { VoicebotError } from '../../errors.js';
import type { OutputAudioFrame } from '../../pipeline/frames/index.js';
import type { RoomConnection, RoomEvents, RoomParticipant } from '../../rooms/room-connection.js';
import { SpeechOutput } from '../speech-output.js';
import { type Dialled, keyTones } from './dial-target.js';
import { DialledTargets } from './dialled-targets.js';
import { type CallerLoss, type ForwardingClient, HeldCaller } from './held-caller.js';
import { type DialoutNews, type Leg, RoomCall } from './room-call.js';
import { type JoinThisRoom, type RoomListener, RoomPresence } from './room-presence.js';
import { RoomTransfer } from './room-transfer.js';
import { RoomWire } from './room-wire.js';
import type { Announce } from './rooms-event-data.js';
import { RoomsInput } from './rooms-input.js';

export interface RoomSessionOptions {
  readonly join: JoinThisRoom;
  /** Undefined when no runner has started the bot. */
  readonly link: RoomRunnerLink | undefined;
  /** The held call to fetch. */
  readonly dialinSettings: RoomsDialinSettings | undefined;
  createClient(): Promise<ForwardingClient>;
  readonly isHearing: boolean;
  readonly isSpeaking: boolean;
  readonly announce: Announce;
}

/** How long the pipeline may go on after the destination of a transfer has answered, in milliseconds. */
const FAREWELL_LIMIT_MS = 5_000;
/** Longest wait for the runner to say whether a number may be called, in milliseconds. */
const CHECK_LIMIT_MS = 10_000;
/** Longest wait for the legs to be hung up before the bot leaves without it, in milliseconds. */
const HANG_UP_LIMIT_MS = 3_000;

/** One bot's time in a room: joins it, serves the telephone call in it, and ends the pipeline when the call is over. */
export class RoomSession {
  readonly input: RoomsInput;
  readonly output: SpeechOutput;
  readonly #link: RoomRunnerLink | undefined;
  readonly #announce: Announce;
  readonly #room: RoomPresence;
  readonly #call: RoomCall;
  readonly #dialled = new DialledTargets();
  readonly #heldCaller: HeldCaller | undefined;
  readonly #silence: SilenceWatch;
  #transfer: RoomTransfer | undefined;
  /** An earlier bot has asked for the transfer, and the caller has not come back from it. */
  #isResumingTransfer = false;
  #hasCompany = false;
  #hasResumed = false;
  /** Whether somebody whom an earlier bot has dialled was there when we came. */
  #wasAnsweredBefore = false;
  #hangUp: Promise<void> | undefined;
  #isOver = false;

  constructor({ join, link, dialinSettings, createClient, isHearing, isSpeaking, announce }: RoomSessionOptions) {
    this.#link = link;
    this.#announce = announce;
    this.#room = new RoomPresence(join, this.#listener());
    this.#call = new RoomCall({
      tell: (news) => {
        if (!this.#isResumingTransfer || news.type !== 'connected') this.#tell(news);
      },
      connected: () => {
        if (!this.#isResumingTransfer) this.#onCallerThere();
      },
      gone: (reason) => this.#onGone(reason),
      rangTooLong: (leg) => this.#onRangTooLong(leg),
    });
    this.#heldCaller =
      dialinSettings &&
      new HeldCaller(dialinSettings, link?.past.isForwarded ?? false, {
        createClient,
        forwarded: () => this.#tell({ type: 'forwarded' }),
        lost: (loss) => this.#onCallerLost(loss),
      });
    this.#silence = new SilenceWatch({
      limitMs: link?.silenceMs ?? 0,
      isExcused: () => Boolean(this.#transfer?.isPending || this.#transfer?.isAnswered), // the caller hears somebody else
      onSilence: () => this.#tell({ type: 'silent' }),
    });
    this.input = new RoomsInput(isHearing, (sampleRate) => void this.#start(sampleRate));
    const wire = new RoomWire(this.#room, {
      said: () => this.#silence.botSpoke(),
      isHeld: () => this.#isResumingTransfer,
      sendDtmf: (digits) => this.sendDtmf(digits),
    });
    this.output = new SpeechOutput(wire, isSpeaking, {
      hangUp: (reason) => this.#endCall(reason),
      released: () => this.#letGo({ status: 'failed', detail: 'the pipeline has ended' }),
    });
  }

  /** @throws VoicebotError VB_ROOM_JOIN_FAILED, VB_STREAM_CLOSED, and what the runner or the provider refuses it with */
  async startDialout(target: Dialled): Promise<{ sessionId: string }> {
    const past = this.#link?.past.dialout;
    const to = target.phoneNumber ?? target.sipUri;
    if (past && !this.#hasResumed) return this.#dialled.dial(to, () => this.#resumeDialout(past.sessionId));
    const dial = () =>
      this.#dialled.dial(to, async () => {
        const connection = await this.#room.entered(); // only the call's bot that is in the room may call anybody
        const phoneNumber = target.phoneNumber && (await this.#checkTarget(target.phoneNumber));
        return connection.startDialout(phoneNumber ? { ...target, phoneNumber } : target);
      });
    if (this.#call.isFree && !this.#heldCaller) {
      return this.#call.dial(dial).catch((error: unknown) => {
        this.#onDialRefused(error);
        throw error;
      });
    }
    const { sessionId } = await dial();
    this.#call.alsoDialled(sessionId);
    return { sessionId };
  }

  async stopDialout(sessionId = this.#servedLeg().sessionId): Promise<void> {
    const stop = () => this.#connection().stopDialout({ sessionId });
    if (sessionId === this.#call.leg?.sessionId) await this.#call.endsWith('bot_ended', stop);
    else await stop();
  }

  /** @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED, VB_ROOMS_REQUEST_FAILED */
  async sendDtmf(digits: string): Promise<void> {
    const tones = keyTones(digits);
    const { sessionId } = this.#answeredLeg();
    await this.#connection().sendDtmf({ sessionId, tones });
  }

  /** @param to E.164, or a `sip:` address; where the caller is being transferred there already, that is joined */
  async transfer(to: string, announcement: readonly OutputAudioFrame[]): Promise<AcceptedTransferOutcome> {
    if (this.#transfer?.isPending && this.#transfer.to === to) return this.#transfer.run();
    const transfer = this.#newTransfer(this.#freeLeg(), to, announcement);
    this.#transfer = transfer;
    const outcome = await transfer.run();
    this.#onTransferOver(transfer, outcome);
    return outcome;
  }

  #onTransferOver(transfer: RoomTransfer, outcome: AcceptedTransferOutcome): void {
    this.#silence.activity();
    if (transfer.destination !== undefined) this.#call.discard(transfer.destination);
    if (outcome.status === 'caller_left') this.#end('caller_hung_up');
    else if (outcome.status !== 'answered' && !this.#isOver) this.#onTransferFailed(transfer);
  }

  /** @param toEndPoint a `sip:` address */
  async sipRefer(toEndPoint: string): Promise<void> {
    const { sessionId } = this.#freeLeg();
    await this.#call.endsWith('transferred', () => this.#connection().sipRefer({ sessionId, toEndPoint }));
  }

  hearOnly(sessionIds: readonly string[] | undefined): boolean {
    return this.#connection().hearOnly?.(sessionIds) ?? false;
  }

  /** Leaves and hangs nobody up; the pipeline ends. */
  async leave(): Promise<void> {
    await this.#letGo({ status: 'failed', detail: 'the bot has left the room' });
    this.input.callEnded();
  }

  async #start(sampleRate: number): Promise<void> {
    if (this.#room.isGone || this.#link?.isReplaced()) return this.input.callEnded();
    this.#heldCaller?.prepare();
    try {
      await this.#room.enter(sampleRate, (connection) => this.#onEntered(connection));
    } catch (error) {
      if (!this.#isOver) this.#fail(error as Error);
    }
  }

  #onEntered(connection: RoomConnection): void {
    const participants = [...connection.participants.values()];
    this.#tell({ type: 'joined' });
    this.#announce('joined', { sessionId: connection.sessionId, participants });
    if (this.#isOver) return;
    this.#resumeTransfer(connection);
    if (this.#isOver) return;
    const past = this.#link?.past.dialout;
    if (past) {
      this.#wasAnsweredBefore = past.isAnswered || connection.participants.has(past.sessionId);
      this.#call.resume(past.sessionId, this.#wasAnsweredBefore);
    }
    this.#heldCaller?.awaitFromNow();
    for (const participant of participants) this.#onPresent(participant);
    connection.start((pcm) => {
      this.#silence.hear(pcm);
      this.input.hear(pcm);
    });
  }

  /** Who the bot serves hears it. */
  #onCallerThere(): void {
    this.#silence.start();
    this.input.callerJoined();
  }

  /** The caller hears the destination of an earlier bot's transfer ring: until that is over, what this one says waits. */
  #resumeTransfer({ participants }: RoomConnection): void {
    const state = this.#link?.past.transfer;
    if (!state) return;
    const transfer = this.#newTransfer(state.leg, state.to, []);
    this.#transfer = transfer;
    this.#isResumingTransfer = true;
    void transfer.resume(state).then((outcome) => {
      this.#onTransferOver(transfer, outcome);
      if (outcome.status === 'answered' || outcome.status === 'caller_left' || this.#isOver) return;
      this.#isResumingTransfer = false;
      this.#announce('transfer_failed', { toEndPoint: state.to, status: outcome.status, detail: outcome.detail });
      this.#onCallerThere();
    });
    if (participants.has(state.leg.sessionId)) return;
    transfer.wasGone();
    this.#heldCaller?.close();
  }

  /** Somebody is in the room, whether they have just come or not. */
  #onPresent(participant: RoomParticipant): void {
    if (participant.kind === 'dial-in') this.#heldCaller?.arrived();
    this.#call.appeared(participant);
    if (this.#hasCompany) return;
    this.#hasCompany = true;
    this.#announce('first_participant_joined', participant);
  }

  /**
   * Good news of a call is acted upon before the handlers hear of it, so that they find things as they are told. Bad news
   * ends the pipeline, and comes to the handlers first.
   */
  #listener(): RoomListener {
    return {
      participant_joined: (participant) => {
        this.#onPresent(participant);
        this.#announce('participant_joined', participant);
      },
      participant_left: (participant) => {
        this.#announce('participant_left', participant);
        this.#call.disappeared(participant);
      },
      rejoined: () => this.#onRejoined(),
      dialin_ready: (data) => {
        this.#heldCaller?.ready(data.sipEndpoint);
        this.#announce('dialin_ready', data);
      },
      dialin_connected: (data) => {
        this.#heldCaller?.arrived();
        this.#call.comesIn(data.sessionId);
        this.#announce('dialin_connected', data);
      },
      dialin_stopped: (data) => {
        this.#announce('dialin_stopped', data);
        this.#call.hear(data.sessionId, { type: 'stopped' });
      },
      dialin_warning: (data) => this.#announce('dialin_warning', data),
      dialin_error: (data) => {
        this.#announce('dialin_error', data);
        const isOfLeg = data.sessionId !== undefined && data.sessionId === this.#call.leg?.sessionId;
        if (isOfLeg || this.#heldCaller?.isAwaited) this.#end('telephony_error');
      },
      dialout_connected: (data) => {
        this.#onDialout(data.sessionId, { type: 'ringing' });
        this.#announce('dialout_connected', data);
      },
      dialout_answered: (data) => {
        const transfer = this.#onDialout(data.sessionId, { type: 'answered' });
        this.#announce('dialout_answered', transfer?.answeredData ?? this.#dialled.answered(data));
      },
      dialout_stopped: (data) => {
        this.#announce('dialout_stopped', data);
        this.#onDialout(data.sessionId, { type: 'stopped' });
      },
      dialout_warning: (data) => this.#announce('dialout_warning', data),
      dialout_error: (data) => {
        this.#announce('dialout_error', data);
        this.#onDialout(data.sessionId, { type: 'failed', errorMsg: data.errorMsg });
      },
      dtmf: (data) => {
        this.#silence.activity();
        this.#announce('dtmf', data);
        this.input.press(data.digit);
      },
      left: (data) => this.#onLeft(data),
    };
  }

  /** @returns the transfer that the news was about, if it was */
  #onDialout(sessionId: string | undefined, news: DialoutNews): RoomTransfer | undefined {
    if (this.#transfer?.hear(sessionId, news)) return this.#transfer;
    this.#call.hear(sessionId, news);
    return undefined;
  }

  /** The connection was lost for a time, and is there again. */
  #onRejoined(): void {
    const isThere = (sessionId: string) => this.#room.connection?.participants.has(sessionId) ?? false;
    this.#call.missedNews(isThere);
    if (this.#transfer) this.#transfer.missedNews(isThere(this.#transfer.leg.sessionId));
  }

  /** Another bot would be refused as well. */
  #onDialRefused(error: unknown): void {
    const isRefused = error instanceof VoicebotError && error.code === 'VB_ROOMS_REQUEST_FAILED';
    if (isRefused) this.#tell({ type: 'over', reason: 'telephony_error' });
  }

  /** The leg that the bot serves has gone, or could not be reached. */
  #onGone(reason: EndReason): void {
    if (this.#transfer?.isPending) this.#transfer.legGone();
    else this.#end(reason);
  }

  #onCallerLost({ errorMsg, reason }: CallerLoss): void {
    this.#announce('dialin_error', { errorMsg });
    this.#end(reason);
  }

  #onRangTooLong({ sessionId }: Leg): void {
    this.#announce('dialout_error', { sessionId, errorMsg: 'no answer' });
    this.#end('no_answer');
  }

  #onLeft(data: RoomEvents['left'][0]): void {
    const isLoss = data.error && !this.#isOver && !this.#transfer?.isAnswered;
    if (isLoss) this.#fail(data.error);
    this.#announce('left', data);
    if (this.#isOver) return;
    this.#isOver = true;
    this.input.callEnded();
  }

  /** The bot cannot go on; another one may. */
  #fail(error: Error): void {
    this.#isOver = true;
    this.#announce('error', { error });
    this.input.fail(error, true);
  }

  /** The call is over, unless it is somebody else's by now. */
  #end(reason: EndReason): void {
    if (this.#isOver || this.#transfer?.isAnswered) return;
    this.#isOver = true;
    this.#tell({ type: 'over', reason });
    this.input.callEnded();
  }

  #newTransfer(leg: Leg, to: string, announcement: readonly OutputAudioFrame[]): RoomTransfer {
    return new RoomTransfer(leg, to, {
      allow: async () => (to.startsWith('sip:') ? to : this.#checkTarget(to)),
      announce: () => {
        this.output.say(announcement);
        return this.output.spoken();
      },
      request: async (toEndPoint) => this.#connection().sipCallTransfer({ sessionId: leg.sessionId, toEndPoint }),
      accepted: (transfer) => this.#tell({ type: 'transferring', transfer }),
      answered: (data, wasTold) => {
        this.#tell({ type: 'over', reason: 'transferred' });
        this.input.callEndsIn(FAREWELL_LIMIT_MS);
        if (!wasTold) this.#announce('dialout_answered', data);
      },
      isOther: (sessionId) => this.#call.knows(sessionId),
    });
  }

  #onTransferFailed({ ringingLeg }: RoomTransfer): void {
    this.#tell({ type: 'transfer_failed' });
    if (ringingLeg !== undefined) this.#room.connection?.stopDialout({ sessionId: ringingLeg }).catch(() => {}); // it may have stopped
  }

  async #resumeDialout(sessionId: string): Promise<{ sessionId: string }> {
    this.#hasResumed = true;
    await this.#room.entered();
    if (this.#wasAnsweredBefore) {
      setImmediate(() => {
        if (!this.#isOver) this.#announce('dialout_answered', this.#dialled.answered({ sessionId }));
      });
    }
    return { sessionId };
  }

  /** Hangs up who is there, unless they are somebody else's by now, and leaves. */
  #endCall(reason: BotEndReason | undefined): Promise<void> {
    this.#hangUp ??= this.#hangUpAndLeave(reason);
    return this.#hangUp;
  }

  async #hangUpAndLeave(reason: BotEndReason | undefined): Promise<void> {
    const { connection } = this.#room;
    const ringingLeg = this.#transfer?.ringingLeg;
    const isReferred = this.#call.expectedEnd === 'transferred';
    const isOurs = !this.#transfer?.isAnswered && !isReferred && !this.#link?.isReplaced();
    if (isReferred && !this.#isOver) this.#tell({ type: 'over', reason: 'transferred' });
    const ended = reason ?? (connection && 'bot_ended');
    if (ended && isOurs && !this.#isOver) this.#tell({ type: 'over', reason: ended });
    this.#close({ status: 'caller_left' });
    if (connection && isOurs) {
      const stopped = ringingLeg === undefined ? undefined : connection.stopDialout({ sessionId: ringingLeg });
      await settlesWithin(Promise.allSettled([this.#call.hangUp(connection), stopped]), HANG_UP_LIMIT_MS);
    }
    await this.#room.leave();
  }

  /** Leaves and hangs nobody up. */
  async #letGo(verdict: AcceptedTransferOutcome): Promise<void> {
    this.#close(verdict);
    await this.#room.leave();
  }

  /** Nothing is waited for any more. */
  #close(verdict: AcceptedTransferOutcome): void {
    this.#isOver = true;
    this.#heldCaller?.close();
    this.#call.close();
    this.#silence.stop();
    this.#transfer?.giveUp(verdict);
  }

  #connection(): RoomConnection {
    const { connection } = this.#room;
    if (!connection) throw new VoicebotError('VB_STREAM_CLOSED', 'the bot is not in the room');
    return connection;
  }

  #servedLeg(): Leg {
    const { leg } = this.#call;
    if (!leg || !this.#room.connection) throw new VoicebotError('VB_STREAM_CLOSED', 'nobody is on the line');
    return leg;
  }

  #answeredLeg(): Leg {
    if (!this.#call.isAnswered || this.#transfer?.isAnswered)
      throw new VoicebotError('VB_STREAM_CLOSED', 'nobody is on the line');
    return this.#servedLeg();
  }

  /** The leg, when it is not about to be given to somebody else. */
  #freeLeg(): Leg {
    if (this.#transfer?.isPending || this.#call.expectedEnd === 'transferred') {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'another transfer is going on');
    }
    return this.#answeredLeg();
  }

  async #checkTarget(to: string): Promise<string> {
    if (!this.#link) return to;
    const late = () =>
      new VoicebotError('VB_DEADLINE_EXCEEDED', 'the runner has not said whether the number may be called');
    return withDeadline(this.#link.checkTarget(to), CHECK_LIMIT_MS, late);
  }

  #tell(news: RoomNews): void {
    this.#link?.tell(news);
  }
}
