import type { DtmfDigit } from '../../base/audio/dtmf.js';
import { FRAME_MS } from '../../base/audio/frame.js';
import type { WireEvent, WireParticipant } from '../../providers/rooms/client-messages.js';
import type { PhoneCall } from '../network/call.js';
import type { HangupCause } from '../network/hangup-causes.js';
import type { RoomRecord } from './contract.js';
import { ROOM_HANGUP_CAUSES } from './hangup-causes.js';
import { RoomMix } from './mixer.js';
import type { Participant } from './participant.js';
import { ParticipantPermissions, type Permissions } from './permissions.js';
import { PhoneLeg, type PhoneLegSetup } from './phone-leg.js';
import { notFound } from './refusals.js';
import { RoomTranscripts } from './transcripts.js';

/** @see rooms reference 6.1 */
const DEFAULT_MAX_PARTICIPANTS = 200;
/** @see rooms reference 1.4 */
const MAX_PHONE_LEGS = 5;
/** Time from the signalling of a caller to the first sound, in milliseconds. */
const MEDIA_SETUP_MS = 20;

/** A participant with a client of its own: a bot or a browser page. */
export interface Client extends Participant {
  /** When the token ends its stay, in milliseconds since the epoch. */
  readonly ejectedAt: number | undefined;
  tell(event: WireEvent): void;
  /** Tells the client that it has been removed, and closes its connection. */
  eject(reason: string): void;
}

/** A transfer whose caller has left the room, and whose destination rings. */
export interface RingingTransfer {
  /** How long it goes on without a client in the room, in milliseconds. */
  readonly idleLimitMs: number;
  giveUp(): void;
}

/** Why a session ends for everybody. */
export type SessionEnd = keyof Pick<typeof ROOM_HANGUP_CAUSES, 'roomOver' | 'roomDeleted' | 'roomExpired'>;

const EJECT_REASONS: Readonly<Record<SessionEnd, string>> = {
  roomOver: 'room-over',
  roomDeleted: 'room-deleted',
  roomExpired: 'exp-room',
};

/**
 * One session in a room: from the first client until the last client has left and the idle limits of the phone legs have
 * passed.
 * @see rooms reference 6.2, session lifetime
 */
export class SandboxRoom {
  readonly #clients = new Map<string, Client>();
  /** Phone legs, those that are not connected yet included. */
  readonly #legs = new Map<string, PhoneLeg>();
  readonly #busyEndpoints = new Map<string, PhoneLeg>();
  readonly #mix = new RoomMix();
  readonly #transfers = new Set<RingingTransfer>();
  readonly transcripts = new RoomTranscripts((event) => this.broadcast(event));
  #isOver = false;
  #aloneMs = 0;

  /** @param onOver called once */
  constructor(
    readonly room: RoomRecord,
    private readonly onOver: () => void,
  ) {}

  /** All participants, clients first. */
  get participants(): readonly Participant[] {
    return [...this.#clients.values(), ...this.#legsInRoom()];
  }

  get isFull(): boolean {
    const { max_participants: most = DEFAULT_MAX_PARTICIPANTS } = this.room.properties;
    return this.#clients.size + this.#legs.size >= most;
  }

  /** Whether one more phone leg fits. */
  get hasFreeLine(): boolean {
    return !this.#isOver && !this.isFull && this.#legs.size < MAX_PHONE_LEGS;
  }

  leg(sessionId: string): PhoneLeg | undefined {
    return this.#legs.get(sessionId);
  }

  isDialling(destination: string): boolean {
    return [...this.#legs.values()].some(
      ({ isInRoom, details }) => !isInRoom && 'destination' in details && details.destination === destination,
    );
  }

  /** @param sipEndpoint without `sip:` */
  isReady(sipEndpoint: string): boolean {
    return this.room.sipEndpoints.includes(sipEndpoint) && !this.#busyEndpoints.has(sipEndpoint);
  }

  /** Lets a client in. @returns those who are there already; events follow after `welcome` has been called with them */
  enter(client: Client, welcome: (others: readonly WireParticipant[]) => void): void {
    const others = this.participants.map(({ wire }) => wire);
    this.broadcast({ action: 'participant-joined', participant: client.wire });
    this.#clients.set(client.sessionId, client);
    this.#aloneMs = 0;
    welcome(others);
    for (const endpoint of this.room.sipEndpoints) {
      if (this.isReady(endpoint)) client.tell({ action: 'dialin-ready', sipEndpoint: `sip:${endpoint}` });
    }
  }

  /** A client has left. */
  leave(client: Client): void {
    if (!this.#clients.delete(client.sessionId)) return;
    this.broadcast({ action: 'participant-left', participant: client.wire });
    this.#settle();
  }

  /** A caller comes in through a SIP endpoint that is ready. @param sipEndpoint without `sip:` */
  admitCaller(call: PhoneCall, sipEndpoint: string): void {
    const { sip } = this.room.properties;
    const leg = new PhoneLeg({
      call,
      direction: 'dial-in',
      userName: sip?.display_name ?? call.setup.from,
      details: { sipFrom: call.setup.from, sipEndpoint: `sip:${sipEndpoint}` },
      permissions: new ParticipantPermissions(false, this.room.properties.permissions),
      idleLimitMs: (sip?.dialin_config?.max_idle_timeout_sec ?? 0) * 1_000,
    });
    this.#busyEndpoints.set(sipEndpoint, leg);
    this.#keep(leg);
    this.broadcast(leg.event('connected'));
    void call.wait(MEDIA_SETUP_MS).then(() => this.connect(leg));
  }

  /** Adds an outgoing call to the room; it is heard once it is connected. */
  addDialled(setup: Omit<PhoneLegSetup, 'direction' | 'idleLimitMs'>): PhoneLeg {
    const idleSeconds = this.room.properties.dialout_config?.max_idle_timeout_sec ?? 0;
    const leg = new PhoneLeg({ ...setup, direction: 'dial-out', idleLimitMs: idleSeconds * 1_000 });
    this.#keep(leg);
    return leg;
  }

  /** Connects the phone: it hears and is heard from now on. */
  connect(leg: PhoneLeg): void {
    if (!this.#legs.has(leg.sessionId) || leg.call.isOver) return;
    leg.enter({
      pressed: (digit) => this.#pressed(leg, digit),
      spoke: (text) => this.transcripts.spoke(leg.sessionId, text, leg.call),
    });
    this.broadcast({ action: 'participant-joined', participant: leg.wire });
  }

  /** Removes the leg from the room for good; its call may go on. */
  detach(leg: PhoneLeg): void {
    if (!this.#legs.delete(leg.sessionId)) return;
    const wasInRoom = leg.isInRoom;
    for (const [endpoint, user] of this.#busyEndpoints) {
      if (user === leg) this.#busyEndpoints.delete(endpoint);
    }
    leg.leave();
    if (wasInRoom) this.broadcast({ action: 'participant-left', participant: leg.wire });
    this.broadcast(leg.endEvent());
    this.#settle();
  }

  /** Removes participants. @returns those that were there */
  eject(sessionIds: readonly string[]): string[] {
    return sessionIds.filter((id) => {
      const client = this.#clients.get(id);
      const leg = this.#legs.get(id);
      if (client) this.#ejectClient(client, 'ejected');
      leg?.call.finish(ROOM_HANGUP_CAUSES.ejected, 'Room');
      return client !== undefined || leg !== undefined;
    });
  }

  /**
   * Changes what participants may do. Nothing is changed when one who is named is not in the room.
   * @param changes by session id; `*`: all that are not named
   * @throws RoomRefusal 404
   */
  updatePermissions({ '*': rest, ...named }: Readonly<Record<string, Permissions>>): void {
    const { participants } = this;
    if (Object.keys(named).some((id) => !participants.some(({ sessionId }) => sessionId === id)))
      throw notFound('no such participant');
    for (const participant of participants) {
      const change = named[participant.sessionId] ?? rest;
      if (!change) continue;
      participant.permissions.change(change);
      this.broadcast({ action: 'participant-updated', participant: participant.wire });
    }
  }

  /** The session goes on while a transfer rings, as with a telephone that is alone in the room. @returns call it when it rings no more */
  keepFor(transfer: RingingTransfer): () => void {
    this.#transfers.add(transfer);
    return () => {
      this.#transfers.delete(transfer);
      this.#settle();
    };
  }

  broadcast(event: WireEvent): void {
    for (const client of this.#clients.values()) client.tell(event);
  }

  /** @param now milliseconds since the epoch */
  tick(now: number): void {
    this.#mix.tick(this.participants);
    this.#expire(now);
    if (this.#clients.size > 0 || this.#isOver) return;
    this.#aloneMs += FRAME_MS;
    this.#settle();
  }

  /** Removes all clients and hangs up all phones. */
  end(why: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { giveUp } of [...this.#transfers]) giveUp();
    for (const client of this.#clients.values()) client.eject(EJECT_REASONS[why]);
    this.#clients.clear();
    this.#hangUp([...this.#legs.values()], ROOM_HANGUP_CAUSES[why]);
    this.onOver();
  }

  #legsInRoom(): PhoneLeg[] {
    return [...this.#legs.values()].filter(({ isInRoom }) => isInRoom);
  }

  #keep(leg: PhoneLeg): void {
    this.#legs.set(leg.sessionId, leg);
    leg.call.signal.addEventListener('abort', () => this.detach(leg), { once: true });
  }

  #pressed(leg: PhoneLeg, tone: DtmfDigit): void {
    this.broadcast({ action: 'dtmf-event', tone, volume: 10, method: 'telephone-event', sessionId: leg.sessionId });
  }

  #ejectClient(client: Client, reason: string): void {
    client.eject(reason);
    this.leave(client);
  }

  #expire(now: number): void {
    const { exp, eject_at_room_exp: ejects } = this.room.properties;
    if (ejects && exp !== undefined && now >= exp * 1_000) this.end('roomExpired');
    for (const client of this.#clients.values()) {
      if (client.ejectedAt !== undefined && now >= client.ejectedAt) this.#ejectClient(client, 'exp-token');
    }
  }

  /** Hangs up phones that have been alone for their idle limit; ends the session when no phone is left. */
  #settle(): void {
    if (this.#isOver || this.#clients.size > 0) return;
    const impatient = [...this.#legs.values()].filter(({ idleLimitMs }) => idleLimitMs <= this.#aloneMs);
    this.#hangUp(impatient, ROOM_HANGUP_CAUSES.roomOver);
    for (const { idleLimitMs, giveUp } of [...this.#transfers]) if (idleLimitMs <= this.#aloneMs) giveUp();
    if (this.#legs.size === 0 && this.#transfers.size === 0) this.end('roomOver');
  }

  #hangUp(legs: readonly PhoneLeg[], cause: HangupCause): void {
    for (const { call } of legs) call.finish(cause, 'Room');
  }
}
