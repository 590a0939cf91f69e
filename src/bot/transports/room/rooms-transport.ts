import { EventEmitter } from 'node:events';
import { refuseUnknownEvents } from '../../../base/names/event-names.js';
import { refuseUnknownOptions } from '../../../base/names/option-names.js';
import { explained, operatorNumber, ownOperator, whyNobodyAnswers } from '../../../call/operator-number.js';
import { type CallRunnerLink, runnerLinkOf } from '../../../call/runner-link.js';
import { hasStandIns } from '../../../call/stand-ins.js';
import type { CallTimeline } from '../../../call/timeline.js';
import type { AcceptedTransferOutcome } from '../../../call/transfer-outcome.js';
import { roomProviderOf, roomsApiUrl } from '../../../providers/registry/rooms.js';
import { roomNameOf } from '../../../providers/rooms/room-address.js';
import type { StartFrame } from '../../pipeline/frames/index.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { SttService } from '../../services/stt/index.js';
import { CallInput } from '../call-input.js';
import { HoldableWire } from '../holdable-wire.js';
import { mutatedOutcome, mutatedTarget } from '../mutated-transfer.js';
import type { Party } from '../party.js';
import { SpeechOutput } from '../speech-output.js';
import { notedTransfer } from '../transfer-notes.js';
import { announcementOf, type TransferOptions } from '../transfer-options.js';
import { type DialoutRequest, dialTarget, referTarget, roomTransferTarget } from './dial-target.js';
import { clientFor, joinRoomFor, type RoomsClient } from './join-room.js';
import { RoomEars } from './room-ears.js';
import { RoomParty } from './room-party.js';
import { RoomPort } from './room-port.js';
import { RoomSeat } from './room-seat.js';
import { RoomTape } from './room-tape.js';
import { RoomWire, roomSampleRate } from './room-wire.js';
import { type Announce, ROOMS_EVENTS, type RoomsEventData } from './rooms-event-data.js';
import { checkRoomsOptions, type RoomsParams } from './rooms-params.js';

/** Handlers are called with the transport and the event's data. */
export type RoomsTransportEvents = {
  [Name in keyof RoomsEventData]: [transport: RoomsTransport, data: RoomsEventData[Name]];
};

/**
 * Connects a pipeline to a media room into which a telephone call is bridged. The bot joins when the pipeline starts and
 * leaves when it ends; the call is hung up then, unless it was transferred, or the pipeline failed, so that another bot can
 * take it over. The pipeline ends when the call does. Others who come and go do not matter to it.
 */
export class RoomsTransport extends EventEmitter<RoomsTransportEvents> {
  readonly #port: RoomPort;
  readonly #input: RoomsInput;
  readonly #output: SpeechOutput;
  /** Who is at the other end, to be held and joined with others. @internal */
  readonly party: Party;
  readonly #timeline: CallTimeline | undefined;
  /** The provider's transcription. */
  readonly #ears: RoomEars | undefined;

  /**
   * @param roomUrl `room_url` of the bot's arguments
   * @param token `token` of the bot's arguments
   * @param botName what others in the room see
   * @throws VoicebotError VB_CONFIG_INVALID naming everything that is missing, wrong or not known
   */
  constructor(roomUrl: string, token: string, botName: string, params: RoomsParams) {
    super();
    checkRoomsOptions(roomUrl, token, botName, params);
    refuseUnknownEvents(this, ROOMS_EVENTS);
    const link = runnerLinkOf({ roomUrl, token });
    this.#timeline = link?.timeline;
    const { apiKey, apiUrl, dialinSettings, audioInEnabled = true, audioOutEnabled = true, connect } = params;
    const { transcriptionEnabled } = params;
    const { userIds, past } = link ?? {};
    const provider = roomProviderOf(roomUrl);
    const leg = () => this.#port.leg;
    const tape = new RoomTape(link?.tape);
    const isBridged = link?.handover?.phase === 'bridged';
    const overheard = (from: object, pcm: Int16Array, rate: number, isKept: boolean) => {
      this.#port.overheard(pcm);
      if (isKept) tape.overheard(from, pcm, rate, room.rate);
    };
    const seat = new RoomSeat(roomUrl, { userIds, past, leg, isBridged, overheard, tape: link?.tape });
    if (link) link.prepareConsult = () => seat.isolate();
    if (transcriptionEnabled) this.#ears = new RoomEars(provider.name, Object(transcriptionEnabled));
    this.#port = new RoomPort(
      {
        join: async (options) => {
          const join = connect ?? (await joinRoomFor(provider, roomUrl));
          const connection = seat.enter(await join({ ...options, roomUrl, token, userName: botName }));
          if (!hasStandIns()) this.#ears?.follow(connection);
          return connection;
        },
        roomName: roomNameOf(roomUrl),
        createClient: () => provider.createRestClient({ apiKey, apiUrl: apiUrl ?? roomsApiUrl(provider) }),
        link,
      },
      {
        announce: (name, data) => this.#announce(name, data),
        heard: (pcm) => {
          seat.spoke(pcm, room.rate);
          tape.tick(room.rate);
          this.#input.hear(pcm);
        },
        pressed: (digit) => {
          seat.pressed(digit);
          this.#input.press(digit);
        },
        connected: () => this.#input.callerJoined(),
        answered: (data) => {
          this.#input.callTransferred();
          this.#announce('dialout_answered', data);
        },
        ended: () => this.#input.callEnded(),
        failed: (error) => {
          this.#announce('error', { error });
          this.#input.fail(error, true);
        },
      },
    );
    if (dialinSettings) this.#port.forward(dialinSettings);
    const room = new RoomWire(this.#port, tape);
    this.#input = new RoomsInput(audioInEnabled, link, this.#ears, (sampleRate) => {
      room.rate = sampleRate;
      void this.#port.join(sampleRate);
    });
    const wire = new HoldableWire(room);
    this.party = new RoomParty(seat, wire, this.#input, room);
    this.#output = new SpeechOutput(wire, audioOutEnabled, this.#port);
  }

  /** The provider's transcription is asked for. @internal */
  get isTranscribed(): boolean {
    return this.#ears !== undefined;
  }

  /** The pipeline has ears of its own: what the provider's transcription understands is told by events. @internal */
  hearByEvents(): void {
    this.#input.bringsEars = false;
  }

  /** What is said in the room: the head of the pipeline. With `transcriptionEnabled` the words that the provider has understood, too. */
  input(): FrameProcessor {
    return this.#input;
  }

  /** The ear of the others: owns the clock that plays what the pipeline wants heard. */
  output(): FrameProcessor {
    return this.#output;
  }

  /**
   * Calls a number or a SIP address out of the room. Without `dialinSettings`, the first callee is who the bot serves: when they cannot
   * be reached, or hang up, the pipeline ends after the event that says so. Where an earlier bot of the same call has
   * dialled already, its leg is taken on and no phone is dialled.
   *
   * Waits for the bot to be in the room. Resolves when the provider has taken the call; what becomes of it is told by
   * `dialout_connected`, `dialout_answered`, `dialout_stopped` and `dialout_error`.
   *
   * @param request exactly one of `phoneNumber` and `sipUri`
   * @throws VoicebotError VB_REQUEST_INVALID; VB_TARGET_REFUSED and VB_DIAL_LIMIT from the runner; VB_ROOM_JOIN_FAILED;
   *   VB_STREAM_CLOSED when the bot has left the room; VB_ROOMS_REQUEST_FAILED when the provider refuses
   */
  async startDialout(request: DialoutRequest): Promise<{ sessionId: string }> {
    return this.#port.dial(dialTarget(request));
  }

  /**
   * Hangs up a callee.
   * @param leg `sessionId` as {@link startDialout} gave it; default is who the bot serves
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED when the other party is not there, VB_ROOMS_REQUEST_FAILED
   */
  async stopDialout(leg: { sessionId?: string } = {}): Promise<void> {
    refuseUnknownOptions(leg, { sessionId: true }, 'VB_REQUEST_INVALID');
    await this.#port.stopDialout(leg.sessionId);
  }

  /**
   * Presses keys for who the bot serves. They are sent at once; push an `OutputDtmfFrame` to have them sent when what was
   * said before has been heard.
   * @param digits 1 to 20 of `0-9 * # A-D`
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED when the other party is not there, VB_ROOMS_REQUEST_FAILED
   */
  async sendDtmf(digits: string): Promise<void> {
    await this.#port.press(digits);
    this.#timeline?.note({ type: 'keys', direction: 'out', keys: digits });
  }

  /**
   * Connects the caller with the destination, outside the room. Announces nothing by itself: what the pipeline has said so
   * far is heard to its end first. The pipeline goes on meanwhile.
   *
   * Resolves when the outcome is known: on `answered` after the event `dialout_answered` (the bot ends its pipeline, and
   * no leg is hung up; 5 s later the pipeline is ended for it), on `busy`, `no_answer`, `rejected` and `failed` with the
   * caller still in the room, on `caller_left` with the pipeline about to end: its `destination` says why one was not reached whose caller
   * the provider had taken out of the room already, or `unknown`. A bot that ends the call while the
   * destination rings gets `caller_left`.
   *
   * @param request `toEndPoint`: a number, E.164, or a `sip:` address; default `OPERATOR_NUMBER`, else the sandbox's operator
   * @throws VoicebotError VB_REQUEST_INVALID; VB_STREAM_CLOSED when the other party is not there; VB_TRANSFER_FAILED when one to
   *   another destination is going on; VB_TARGET_REFUSED and VB_DIAL_LIMIT from the runner; VB_ROOMS_REQUEST_FAILED when the provider refuses.
   *   The call is as it was then
   */
  async sipCallTransfer(request: { toEndPoint?: string } = {}): Promise<AcceptedTransferOutcome> {
    refuseUnknownOptions(request, { toEndPoint: true }, 'VB_REQUEST_INVALID');
    return this.transfer(request.toEndPoint ?? operatorNumber());
  }

  /**
   * {@link sipCallTransfer} with an announcement: it is said behind what the pipeline has said so far, heard to its end,
   * and not said at all when the runner refuses the number. While the caller is being transferred to the same target
   * already, nothing is said or asked for again: it resolves as the first one does.
   * @param to a number, E.164, or a `sip:` address
   * @throws VoicebotError as {@link sipCallTransfer}
   */
  async transfer(to: string, options: TransferOptions = {}): Promise<AcceptedTransferOutcome> {
    const target = mutatedTarget(roomTransferTarget(to), this.#timeline);
    const announcement = announcementOf(options);
    const announce = () => this.#output.announce(announcement);
    const transfer = mutatedOutcome(announce, this.#timeline) ?? this.#port.transfer(target, announce);
    const outcome = await notedTransfer(this.#timeline, target, transfer);
    if (!('detail' in outcome)) return outcome;
    return { ...outcome, detail: explained(outcome.detail, whyNobodyAnswers(to, ownOperator())) };
  }

  /**
   * Gives the caller back to the SIP system that the call came from; the provider has no part in it any more. Resolves
   * when that is accepted: the caller leaves, and the pipeline ends.
   * @param request `toEndPoint`: a `sip:` address
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED when the other party is not there, VB_TRANSFER_FAILED when a transfer is
   *   going on, VB_ROOMS_REQUEST_FAILED
   */
  async sipRefer(request: { toEndPoint: string }): Promise<void> {
    refuseUnknownOptions(request, { toEndPoint: true }, 'VB_REQUEST_INVALID');
    await this.#port.refer(referTarget(request.toEndPoint));
  }

  /**
   * Has the pipeline hear these participants only, such as the caller alone; without them everybody, as at first.
   * @param sessionIds of participants, as the events give them
   * @returns false where the room gives one stream of all, as with the built-in client: nothing changes then
   * @throws VoicebotError VB_STREAM_CLOSED when the bot is not in the room
   */
  hearOnly(sessionIds?: readonly string[]): boolean {
    this.#ears?.hearOnly(sessionIds);
    return this.#port.hearOnly(sessionIds);
  }

  /**
   * Leaves the room at once and hangs no leg up; the pipeline ends. A runner closes the room when the bot function has
   * returned. Safe to call twice.
   */
  async leave(): Promise<void> {
    await this.#port.released('the bot has left the room');
    this.#input.callEnded();
  }

  /** A handler that throws is a problem of the pipeline, which goes on. */
  #announce: Announce = (name, data) => {
    if (name !== 'transcription_message') this.#timeline?.note({ type: 'wire', direction: 'in', name });
    if (name === 'error' && this.listenerCount('error') === 0) return; // no listener: emitting it would throw
    try {
      (this as EventEmitter).emit(name, this, data);
    } catch (error) {
      this.#input.fail(error instanceof Error ? error : new Error(String(error)), false);
    }
  };
}

/** Turns what happens in a room into frames. */
class RoomsInput extends CallInput {
  bringsEars = true;

  constructor(
    isEnabled: boolean,
    link: CallRunnerLink | undefined,
    private readonly ears: RoomEars | undefined,
    /** Told once, when the pipeline starts; `sampleRate` is that of the room's audio, in hertz. */
    private readonly onStart: (sampleRate: number) => void,
  ) {
    super(isEnabled, link);
  }

  /** Words of the provider are those of a speech to text service, unless the pipeline has one. */
  override companions(all: readonly FrameProcessor[]): readonly FrameProcessor[] {
    const hasEars = all.some((one) => one instanceof SttService);
    return this.ears && this.bringsEars && !hasEars ? [new SttService(this.ears)] : [];
  }

  protected override start(frame: StartFrame): void {
    const sampleRate = roomSampleRate(frame);
    this.listen(sampleRate, frame.audioInSampleRate);
    this.onStart(sampleRate);
  }

  /** @param pcm 20 ms at the rate of the room's audio */
  hear(pcm: Int16Array): void {
    this.pushAudio(pcm);
  }

  /** A fatal error ends the pipeline with it. */
  fail(error: Error, isFatal: boolean): void {
    this.pushError(error, isFatal);
  }
}

/** Loads all that joining a room and fetching a caller take: who has not done it does it while the caller waits. */
export async function preloadRoomsTransport(client: RoomsClient): Promise<void> {
  const provider = roomProviderOf();
  const isOwn = clientFor(provider, roomsApiUrl(provider), process.env.ROOMS_CLIENT) === 'own';
  const preloadClient = isOwn ? provider.loadClient?.() : client === 'browser' ? preloadBrowser() : preloadBuiltIn();
  await Promise.all([provider.preload?.(), preloadClient]);
}

/** The runner has the browser. */
async function preloadBrowser(): Promise<void> {
  await import('../../../providers/daily/client/join-through-browser.js');
}

async function preloadBuiltIn(): Promise<void> {
  await import('../../../providers/rooms/webrtc/web-rtc-connection.js');
  const { preloadWebRtc } = await import('../../../providers/rooms/webrtc/peer-audio.js');
  await preloadWebRtc();
}
