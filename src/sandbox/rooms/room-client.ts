import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { Logger } from '../../base/logger.js';
import type {
  RoomMethod,
  TranscriptionMethod,
  WireError,
  WireEvent,
  WireParticipant,
} from '../../providers/rooms/client-messages.js';
import type { PeerAudio } from '../../providers/rooms/webrtc/peer-audio.js';
import type { ClientMessage, RoomMessage } from '../../providers/rooms/webrtc/room-wire.js';
import { offeredCodecs } from '../../providers/rooms/webrtc/sdp.js';
import type { PcmFrame } from '../network/frame.js';
import { admissionOf, type RoomAdmission } from './admission.js';
import { readClientMessage } from './client-message.js';
import { type RoomAccount, RoomRefusal } from './contract.js';
import { FaultyEvents, type RoomEventFault } from './event-faults.js';
import type { SandboxLiveRooms } from './live-rooms.js';
import { type AudioRate, isSilent } from './participant.js';
import { ParticipantPermissions } from './permissions.js';
import type { Client, SandboxRoom } from './room-session.js';
import { wireParticipant } from './wire-participant.js';

/** How long audio may take to be connected after the answer. */
const MEDIA_LIMIT_MS = 10_000;
/** Most bytes that a client may leave unread. */
const MAX_UNREAD_BYTES = 1_024 * 1_024;
const SILENCE: Readonly<Record<AudioRate, Int16Array>> = { 8000: new Int16Array(160), 16000: new Int16Array(320) };

/** One client's audio, as the answering side. */
export type RoomPeer = Pick<PeerAudio, 'answer' | 'connected' | 'say' | 'hear' | 'onClosed' | 'close'>;

export interface RoomDoor {
  readonly account: Pick<RoomAccount, 'room' | 'readToken' | 'hasTranscription'>;
  readonly live: SandboxLiveRooms;
  readonly createPeer: (rate: AudioRate) => RoomPeer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How long a client may take to ask to be let in, in milliseconds. */
  readonly joinLimitMs: number;
  /** What becomes of events on their way to a client. */
  readonly eventFaults: readonly RoomEventFault[];
  readonly logger: Logger;
}

type Admitted = Extract<RoomAdmission, { refusal?: never }>;

/** A client that asks to join a room, and is then in it, until its socket or its audio connection closes. */
export class SandboxRoomClient implements Client {
  readonly sessionId = randomUUID();
  readonly joinedAt = new Date();
  /** Nothing before it is admitted. */
  permissions = new ParticipantPermissions(false);
  #admitted: Admitted | undefined;
  #session: SandboxRoom | undefined;
  #peer: RoomPeer | undefined;
  #isJoining = false;
  /** Whether the client has answered the last ping. */
  #isAlive = true;
  #isAudible = false;
  #rate: AudioRate = 8_000;
  readonly #gone = new AbortController();
  readonly #events: FaultyEvents;

  constructor(
    private readonly socket: WebSocket,
    private readonly roomName: string,
    private readonly door: RoomDoor,
  ) {
    this.#events = new FaultyEvents(door.eventFaults, (event) => this.#send({ type: 'event', event }));
    const joinTimer = setTimeout(() => {
      if (!this.#session) this.#close(1008, 'the client has not asked to join in time');
    }, door.joinLimitMs);
    socket.on('message', (data, isBinary) => {
      const message = readClientMessage(data, isBinary);
      if (message) this.#received(message);
      else this.#close(1008, 'not a message of a room client');
    });
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('error', () => {}); // followed by close
    socket.once('close', () => {
      clearTimeout(joinTimer);
      this.#left();
    });
  }

  get rate(): AudioRate {
    return this.#rate;
  }

  get userName(): string {
    return this.#admitted?.userName ?? '';
  }

  get userId(): string | undefined {
    return this.#admitted?.userId;
  }

  get ejectedAt(): number | undefined {
    return this.#admitted?.ejectedAt;
  }

  get wire(): WireParticipant {
    return wireParticipant(this, { isOwner: this.#admitted?.isOwner ?? false, participantType: 'unknown' });
  }

  say(): PcmFrame {
    if (!this.#isAudible) return undefined;
    const said = this.#peer?.hear();
    return said && !isSilent(said) ? said : undefined;
  }

  hear(sound: PcmFrame): void {
    if (this.#isAudible) this.#peer?.say(sound ?? SILENCE[this.#rate]);
  }

  tell(event: WireEvent): void {
    this.#events.tell(event);
  }

  eject(reason: string): void {
    this.#send({ type: 'ejected', reason });
    this.#close(1000, reason);
  }

  /** Sends a ping, or closes the connection when the last ping was not answered. */
  checkAlive(): void {
    if (this.#isAlive) this.socket.ping();
    else this.socket.terminate();
    this.#isAlive = false;
  }

  #received(message: ClientMessage): void {
    if (this.#gone.signal.aborted) return;
    if (message.type === 'leave') this.#close(1000, 'left');
    else if (message.type === 'request') this.#requested(message);
    else if (this.#isJoining) this.#close(1008, 'has asked to join already');
    else {
      this.#isJoining = true;
      this.#join(message).catch((error: unknown) => {
        this.door.logger.error('joining a room failed', { error });
        this.#close(1011, 'internal error');
      });
    }
  }

  async #join({ token, userName, sdp }: Extract<ClientMessage, { type: 'join' }>): Promise<void> {
    const { account, live, now, createPeer } = this.door;
    const request = { roomName: this.roomName, token, userName };
    const atFirst = admissionOf(request, account, live, now());
    if (atFirst.refusal) return this.#refuse(atFirst.refusal);
    this.#rate = rateOf(sdp);
    const peer = createPeer(this.#rate);
    this.#peer = peer;
    let answer: string;
    try {
      answer = await peer.answer(sdp);
    } catch (error) {
      this.door.logger.debug('an offer was refused', { error });
      return this.#refuse({ error: 'connection-error', info: 'the offer cannot be used' });
    }
    if (this.#gone.signal.aborted) return void peer.close();
    const admission = admissionOf(request, account, live, now());
    if (admission.refusal) return this.#refuse(admission.refusal);
    this.#admitted = admission;
    const { isOwner, permissions, room } = admission;
    this.permissions = new ParticipantPermissions(isOwner, room.properties.permissions, permissions);
    this.#session = live.enter(admission.room, this, (participants) => {
      this.#send({ type: 'joined', sessionId: this.sessionId, sdp: answer, participants });
    });
    peer.onClosed(() => this.#close(1000, 'audio is gone'));
    try {
      await peer.connected(MEDIA_LIMIT_MS, this.#gone.signal);
      this.#isAudible = true;
    } catch {
      this.eject('connection-error');
    }
  }

  #requested({ id, method, params }: Extract<ClientMessage, { type: 'request' }>): void {
    if (this.#admitted)
      void this.#perform(method, params).then((answer) => this.#send({ type: 'response', id, ...answer }));
    else this.#close(1008, 'not in the room');
  }

  async #perform(
    method: RoomMethod,
    params: Readonly<Record<string, unknown>>,
  ): Promise<{ result: object } | { error: WireError }> {
    try {
      if (isOfTranscription(method)) {
        const { hasTranscription: isOnPlan } = this.door.account;
        this.#session?.transcripts.perform(method, params, {
          sessionId: this.sessionId,
          isTranscriptionAdmin: this.permissions.mayAdminister('transcription'),
          isOnPlan,
        });
        return { result: {} };
      }
      if (!this.permissions.mayAdminister('participants'))
        throw new RoomRefusal(403, 'forbidden-error', forbidden(method));
      return { result: await this.door.live.control(this.roomName, method, params) };
    } catch (error) {
      return { error: this.#errorOf(error) };
    }
  }

  #errorOf(failure: unknown): WireError {
    if (failure instanceof RoomRefusal) return { error: failure.error, info: failure.info };
    this.door.logger.error('call control of a room failed', { error: failure });
    return { error: 'server-error', info: 'internal error' };
  }

  #refuse(refusal: { readonly error: string; readonly info: string }): void {
    this.#send({ type: 'refused', ...refusal });
    this.#close(1000, refusal.error);
  }

  #send(message: RoomMessage): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.socket.terminate();
    else this.socket.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.#left();
  }

  #left(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    this.#events.close();
    this.#isAudible = false;
    this.#session?.leave(this);
    void this.#peer?.close().catch((error: unknown) => this.door.logger.warn('audio did not close', { error }));
  }
}

/** 8000 Hz when the offer prefers PCMU, which has no higher rate. */
const rateOf = (offer: string): AudioRate => {
  const [best] = offeredCodecs(offer).filter(({ name }) => /^(pcmu|opus)$/i.test(name));
  return best?.name.toLowerCase() === 'opus' ? 16_000 : 8_000;
};

const isOfTranscription = (method: RoomMethod): method is TranscriptionMethod => method.endsWith('Transcription');

/** @see rooms reference 10 */
const forbidden = (method: RoomMethod): string =>
  method === 'startDialOut'
    ? 'unable to start dialout (is dialout enabled? are you a room owner or participant admin?)'
    : `unable to perform ${method} (are you a room owner or participant admin?)`;
