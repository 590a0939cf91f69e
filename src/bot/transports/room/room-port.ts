import { settlesWithin } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { BotEndReason, EndReason } from '../../../call/call.js';
import type { CallPort, OutboundCall } from '../../../call/call-port.js';
import type { RoomsDialinSettings } from '../../../call/rooms-dialin-request.js';
import type { RoomRunnerLink } from '../../../call/runner-link.js';
import { isSpeech, SilenceWatch } from '../../../call/silence-watch.js';
import type { AcceptedTransferOutcome } from '../../../call/transfer-outcome.js';
import type { RoomConnection, RoomEvents, RoomParticipant } from '../../../providers/rooms/room-connection.js';
import { isRoomClosed } from '../../../providers/rooms/room-refusal.js';
import { CALLER_LEFT } from '../transfer.js';
import { checkTarget, keyTones } from './dial-target.js';
import { Dialouts } from './dialouts.js';
import { type CallerLoss, HeldCaller } from './held-caller.js';
import { watchLeg } from './leg-sound.js';
import { type Leg, RoomCall, type RoomCallActions } from './room-call.js';
import type { RoomPortEvents, RoomPortOptions } from './room-port-options.js';
import { RoomPresence } from './room-presence.js';
import { roomReactions, tellMissed } from './room-reactions.js';
import { endOfLeftTransfer, RoomTransfer } from './room-transfer.js';

/** Longest wait for the legs to be hung up before the bot leaves without it, in milliseconds. */
const HANG_UP_LIMIT_MS = 3_000;

/** The telephone call in a room: the bot's own connection to the room controls it, and the runner is told. */
export class RoomPort implements CallPort {
  readonly #room: RoomPresence;
  readonly #link: RoomRunnerLink | undefined;
  readonly #call: RoomCall;
  readonly #dialouts: Dialouts;
  readonly #silence: SilenceWatch;
  #heldCaller: HeldCaller | undefined;
  #transfer: RoomTransfer | undefined;
  /** An earlier bot has asked for the transfer, and the caller has not come back from it. */
  #isResumingTransfer = false;
  #hasCompany = false;
  #hangUp: Promise<void> | undefined;
  #isOver = false;

  constructor(
    private readonly options: RoomPortOptions,
    private readonly events: RoomPortEvents,
  ) {
    const { join, link } = options;
    this.#link = link;
    const actions: RoomCallActions = {
      tell: (news) => link?.tell(news),
      connected: () => {
        if (this.#isResumingTransfer) return;
        link?.tell({ type: 'connected' });
        this.#onCallerThere();
      },
      gone: (reason) => {
        if (this.#transfer?.isPending) this.#transfer.legGone();
        else this.#end(reason);
      },
      missed: (event, leg) => tellMissed(reactions, event, leg),
      rangTooLong: ({ sessionId }) => {
        this.events.announce('dialout_error', { sessionId, errorMsg: 'no answer' });
        this.#end('no_answer');
      },
    };
    this.#call = new RoomCall(actions, link?.ringMs);
    this.#dialouts = new Dialouts(this.#call, link?.past.dialout, {
      entered: () => this.#room.entered(),
      checkTarget: (to) => checkTarget(link, to),
      // Another bot would be refused as well.
      refused: () => link?.tell({ type: 'over', reason: 'telephony_error' }),
      wasAnswered: (data) => {
        if (!this.#isOver) this.events.announce('dialout_answered', data);
      },
    });
    const reactions = roomReactions({
      call: this.#call,
      dialouts: this.#dialouts,
      heldCaller: () => this.#heldCaller,
      transfer: () => this.#transfer,
      announce: events.announce,
      isThere: (sessionId) => this.#room.connection?.participants.has(sessionId) ?? false,
      present: (participant) => this.#onPresent(participant),
      pressed: (digit) => {
        this.#silence.activity();
        events.pressed(digit);
      },
      broken: () => this.#end('telephony_error'),
    });
    this.#room = new RoomPresence(join, { ...reactions, left: (data) => this.#onLeft(data) });
    this.#silence = new SilenceWatch({
      limitMs: link?.silenceMs ?? 0,
      isExcused: () => Boolean(this.#transfer?.isPending || this.#transfer?.isAnswered), // the caller hears the destination
      onSilence: () => link?.tell({ type: 'silent' }),
    });
  }

  /** Session id of the leg that the bot serves. */
  get leg(): string | undefined {
    return this.#call.leg?.sessionId;
  }

  /** Whether the bot has left the room, or will not come into it any more. */
  get isGone(): boolean {
    return this.#room.isGone;
  }

  /** Whether what is said cannot be heard yet: the bot is not in the room, or not again, or the caller hears a destination ring. */
  get isUnheard(): boolean {
    const { connection } = this.#room;
    return connection === undefined || connection.isBroken === true || this.#isResumingTransfer;
  }

  /** How often what was just said was lost with the bot's connection. */
  get breaks(): number {
    return this.#room.connection?.breaks ?? 0;
  }

  /** Says 20 ms of mono PCM at the rate that the room was joined with. */
  say(pcm: Int16Array): void {
    this.#room.connection?.say(pcm);
    this.#silence.botSpoke();
  }

  /** One whom the other party hears beside the bot has said 20 ms: to listen to that is no silence. */
  overheard(pcm: Int16Array): void {
    if (isSpeech(pcm)) this.#silence.botSpoke();
  }

  /** Joins the room; call it once. @param sampleRate of the room's audio, in hertz */
  async join(sampleRate: number): Promise<void> {
    if (this.#room.isGone || this.#link?.isReplaced()) return this.events.ended();
    this.#heldCaller?.prepare();
    try {
      await this.#room.enter(sampleRate, (connection) => this.#onEntered(connection, sampleRate));
    } catch (error) {
      if (isRoomClosed(error)) this.#link?.tell({ type: 'over', reason: 'room_closed' }); // no other bot gets in either
      if (!this.#isOver) this.#fail(error);
    }
  }

  /** Call it before {@link join}. */
  forward(caller: RoomsDialinSettings): void {
    this.#heldCaller = new HeldCaller(caller, this.#link?.past.isForwarded ?? false, {
      createClient: this.options.createClient,
      roomName: this.options.roomName,
      forwarded: () => this.#link?.tell({ type: 'forwarded' }),
      lost: ({ errorMsg, reason }: CallerLoss) => {
        this.events.announce('dialin_error', { errorMsg });
        this.#end(reason);
      },
    });
  }

  dial(call: OutboundCall): Promise<{ sessionId: string }> {
    return this.#dialouts.dial(call, this.#heldCaller === undefined);
  }

  /** Hangs up a leg that was dialled: by default the one that the bot serves. */
  async stopDialout(sessionId = this.#servedLeg().sessionId): Promise<void> {
    const stop = () => this.#connection().stopDialout({ sessionId });
    await (sessionId === this.#call.leg?.sessionId ? this.#call.endsWith('bot_ended', stop) : stop());
  }

  /** @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED, VB_ROOMS_REQUEST_FAILED */
  async press(digits: string): Promise<void> {
    const tones = keyTones(digits);
    await this.#connection().sendDtmf({ sessionId: this.#answeredLeg().sessionId, tones });
  }

  async transfer(to: string, announce: () => Promise<void>): Promise<AcceptedTransferOutcome> {
    if (this.#transfer?.isJoinedBy(to)) return this.#transfer.run();
    this.#transfer = this.#newTransfer(this.#freeLeg(), to);
    return this.#transfer.run(announce);
  }

  /** Gives the caller back to where the call came from. @param toEndPoint a `sip:` address */
  async refer(toEndPoint: string): Promise<void> {
    const { sessionId } = this.#freeLeg();
    await this.#call.endsWith('transferred', () => this.#connection().sipRefer({ sessionId, toEndPoint }));
  }

  /** @returns false where the room gives one stream of all */
  hearOnly(sessionIds: readonly string[] | undefined): boolean {
    return this.#connection().hearOnly?.(sessionIds) ?? false;
  }

  /** Hangs up the legs of the call, unless a transfer or another bot has taken them, and leaves. */
  hangUp(reason?: BotEndReason): Promise<void> {
    this.#hangUp ??= this.#hangUpAndLeave(reason);
    return this.#hangUp;
  }

  /** Leaves and hangs no leg up. @param why what a transfer that is going on fails with */
  async released(why = 'the pipeline has ended'): Promise<void> {
    this.#close({ status: 'failed', detail: why });
    await this.#room.leave();
  }

  #onEntered(connection: RoomConnection, sampleRate: number): void {
    const participants = [...connection.participants.values()];
    this.#link?.tell({ type: 'joined' });
    this.events.announce('joined', { sessionId: connection.sessionId, participants });
    if (this.#isOver) return;
    this.#resumeTransfer(connection);
    if (this.#isOver) return;
    this.#dialouts.resume(connection);
    this.#heldCaller?.awaitFromNow();
    for (const participant of participants) this.#onPresent(participant);
    const watch = watchLeg(this.#call, connection, sampleRate);
    connection.start((pcm) => {
      this.#silence.hear(pcm);
      watch(pcm);
      this.events.heard(pcm);
    });
  }

  /** Who the bot serves hears it. */
  #onCallerThere(): void {
    this.#silence.start();
    this.events.connected();
  }

  /** The caller hears the destination of an earlier bot's transfer ring: until that is over, what this one says waits. */
  #resumeTransfer({ participants }: RoomConnection): void {
    const state = this.#link?.past.transfer;
    if (!state) return;
    const isLegThere = participants.has(state.leg.sessionId);
    this.#isResumingTransfer = true;
    this.#transfer = this.#newTransfer(state.leg, state.to);
    this.#transfer.goOn(state, isLegThere);
    if (!isLegThere) this.#heldCaller?.close();
  }

  /** A participant is in the room, whether it has just come or not. */
  #onPresent(participant: RoomParticipant): void {
    if (participant.kind === 'dial-in') this.#heldCaller?.arrived();
    this.#call.appeared(participant);
    if (this.#hasCompany) return;
    this.#hasCompany = true;
    this.events.announce('first_participant_joined', participant);
  }

  #onLeft(data: RoomEvents['left'][0]): void {
    const isClosed = isRoomClosed(data.error);
    if (data.error && !isClosed && !this.#isOver && !this.#transfer?.isAnswered) this.#fail(data.error);
    this.events.announce('left', data);
    if (isClosed) this.#end('room_closed');
    if (!this.#isOver) this.events.ended();
    this.#isOver = true;
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.events.failed(error as Error);
  }

  /** The call is over, unless the destination of a transfer has it by now. */
  #end(reason: EndReason): void {
    if (this.#isOver || this.#transfer?.isAnswered) return;
    this.#isOver = true;
    this.#link?.tell({ type: 'over', reason });
    this.events.ended();
  }

  #newTransfer(leg: Leg, to: string): RoomTransfer {
    const { sessionId } = leg;
    const transfer: RoomTransfer = new RoomTransfer(leg, to, this.#call, {
      checkTarget: async () => (to.startsWith('sip:') ? to : checkTarget(this.#link, to)),
      request: async (toEndPoint) => this.#connection().sipCallTransfer({ sessionId, toEndPoint }),
      isLegThere: () => this.#room.connection?.participants.has(sessionId) ?? true,
      accepted: (state) => this.#link?.tell({ type: 'transferring', transfer: state }),
      answered: (data) => {
        this.#link?.tell({ type: 'over', reason: 'transferred' });
        this.events.answered(data);
      },
      over: (outcome) => outcome && this.#onTransferOver(transfer, outcome),
    });
    return transfer;
  }

  #onTransferOver({ to, ringingLeg }: RoomTransfer, outcome: AcceptedTransferOutcome): void {
    this.#silence.activity();
    if (outcome.status === 'caller_left') this.#end(endOfLeftTransfer(outcome));
    if (!('detail' in outcome) || this.#isOver) return;
    this.#link?.tell({ type: 'transfer_failed' });
    if (ringingLeg !== undefined) this.#room.connection?.stopDialout({ sessionId: ringingLeg }).catch(() => {}); // it may have stopped
    if (!this.#isResumingTransfer) return;
    this.#isResumingTransfer = false;
    this.events.announce('transfer_failed', { toEndPoint: to, status: outcome.status, detail: outcome.detail });
    this.#onCallerThere();
  }

  async #hangUpAndLeave(reason: BotEndReason | undefined): Promise<void> {
    const { connection } = this.#room;
    const ringingLeg = this.#transfer?.ringingLeg;
    const isReferred = this.#call.expectedEnd === 'transferred';
    const isOurs = !this.#transfer?.isAnswered && !isReferred && !this.#link?.isReplaced();
    if (isReferred && !this.#isOver) this.#link?.tell({ type: 'over', reason: 'transferred' });
    const ended = reason ?? (connection && 'bot_ended');
    if (ended && isOurs && !this.#isOver) this.#link?.tell({ type: 'over', reason: ended });
    this.#close(CALLER_LEFT);
    if (connection && isOurs) {
      const stopped = ringingLeg === undefined ? undefined : connection.stopDialout({ sessionId: ringingLeg });
      await settlesWithin(Promise.allSettled([this.#call.hangUp(connection), stopped]), HANG_UP_LIMIT_MS);
    }
    await this.#room.leave();
  }

  /** Nothing is waited for any more. */
  #close(verdict: AcceptedTransferOutcome): void {
    this.#isOver = true;
    this.#heldCaller?.close();
    this.#call.close();
    this.#silence.stop();
    this.#transfer?.settle(verdict);
  }

  #connection(): RoomConnection {
    if (this.#room.connection) return this.#room.connection;
    throw new VoicebotError('VB_STREAM_CLOSED', 'the bot is not in the room');
  }

  #servedLeg(isAnswered = true): Leg {
    const { leg } = this.#call;
    if (!leg || !isAnswered || !this.#room.connection) {
      throw new VoicebotError('VB_STREAM_CLOSED', 'the other party is not on the line');
    }
    return leg;
  }

  #answeredLeg(): Leg {
    return this.#servedLeg(this.#call.isAnswered && !this.#transfer?.isAnswered);
  }

  /** The leg, when it is not about to be given to a destination. */
  #freeLeg(): Leg {
    if (this.#transfer?.isPending || this.#call.expectedEnd === 'transferred') {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'another transfer is going on');
    }
    return this.#answeredLeg();
  }
}
