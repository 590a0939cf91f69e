import { EventEmitter } from 'node:events';
import { RoomSeat } from '../../../../src/bot/transports/room/room-seat.js';
import { type RoomReception, receptionOf, wireReception } from '../../../../src/providers/rooms/reception.js';
import type {
  RoomConnection,
  RoomDialout,
  RoomEvents,
  RoomParticipant,
} from '../../../../src/providers/rooms/room-connection.js';
import { besideUserIds, OWN_USER_IDS } from '../../../../src/providers/rooms/user-ids.js';
import { ParticipantPermissions } from '../../../../src/sandbox/rooms/permissions.js';

interface Present {
  readonly participant: RoomParticipant;
  readonly permissions: ParticipantPermissions;
}

/** A bot in the room. */
export interface Seated {
  readonly seat: RoomSeat;
  /** Whether its call is recorded at the moment. */
  readonly tape: { isRunning: boolean };
  /** What its call has of the room. */
  readonly room: RoomConnection;
  readonly connection: SeatedConnection;
}

let rooms = 0;

/** A room in which it can be read off who hears whom. Its bots and telephones have their names as session ids. */
export class SeatedRoom {
  readonly url: string;
  readonly present = new Map<string, Present>();
  readonly connections = new Set<SeatedConnection>();
  /** Changes of who hears whom are refused. */
  refuses = false;
  /** Keys that were pressed for telephones, such as `caller 1`. */
  readonly pressed: string[] = [];
  /** What telephones have said, as the bots of those who hear it are told: `<who hears> <sample>`. */
  readonly overheard: string[] = [];

  constructor() {
    rooms += 1;
    this.url = `http://127.0.0.1:9/room/seated-${rooms}`;
  }

  /** Who hears whom, such as `caller: bot`. One who hears no other is left out. */
  get hearing(): string[] {
    return [...this.present].flatMap(([listener, { permissions }]) => {
      const heard = [...this.present.values()].filter(
        ({ participant: { sessionId, userId } }) => sessionId !== listener && permissions.hears({ sessionId, userId }),
      );
      const names = heard.map(({ participant }) => participant.sessionId);
      return names.length > 0 ? [`${listener}: ${names.join(' ')}`] : [];
    });
  }

  /** A bot of the room's own call, and its caller, unless they are there. */
  ownCall({ name = 'bot', isBridged = false } = {}): Seated {
    if (!this.present.has('caller')) this.comes({ sessionId: 'caller', userName: '', isOwner: false, kind: 'dial-in' });
    return this.#seat(name, { userIds: OWN_USER_IDS, leg: () => 'caller', past: undefined, isBridged });
  }

  /** The bot of a call that is dialled beside it. @param leg what its telephone is called in {@link hearing} */
  beside(leg: string): Seated {
    const userIds = besideUserIds(`call of ${leg}`);
    return this.#seat(`bot of ${leg}`, { userIds, leg: () => leg, past: undefined, isBridged: false }, leg);
  }

  comes(participant: RoomParticipant, reception?: RoomReception): void {
    const permissions = new ParticipantPermissions(false, reception && { canReceive: wireReception(reception) });
    this.present.set(participant.sessionId, { participant, permissions });
    this.tell('participant_joined', participant);
  }

  goes(sessionId: string): void {
    const { participant } = this.present.get(sessionId) as Present;
    this.present.delete(sessionId);
    this.tell('participant_left', participant);
  }

  tell<Name extends keyof RoomEvents>(event: Name, ...args: RoomEvents[Name]): void {
    for (const connection of this.connections) connection.emit(event, ...args);
  }

  #seat(
    sessionId: string,
    options: Omit<ConstructorParameters<typeof RoomSeat>[1], 'overheard' | 'tape'>,
    dials = '',
  ): Seated {
    const overheard = (_: object, [sample]: Int16Array, __: number, isKept: boolean) =>
      void this.overheard.push(`${options.leg()} ${sample}${isKept ? '' : ' unkept'}`);
    const tape = { isRunning: true };
    const seat = new RoomSeat(this.url, { ...options, overheard, tape });
    const connection = new SeatedConnection(this, sessionId, options.userIds?.bot ?? '', dials);
    return { seat, tape, connection, room: seat.enter(connection) };
  }
}

/** One bot's connection. */
export class SeatedConnection extends EventEmitter implements RoomConnection {
  constructor(
    private readonly room: SeatedRoom,
    readonly sessionId: string,
    userId: string,
    private readonly dials: string,
  ) {
    super();
    room.comes({ sessionId, userName: '', isOwner: true, kind: 'web', userId });
    room.connections.add(this);
  }

  get participants(): ReadonlyMap<string, RoomParticipant> {
    const others = [...this.room.present].filter(([id]) => id !== this.sessionId);
    return new Map(others.map(([id, { participant }]) => [id, participant]));
  }

  start(): void {}
  say(): void {}

  hearOnly(sessionIds: readonly string[] | undefined): boolean {
    const own = this.room.present.get(this.sessionId);
    own?.permissions.change({ canReceive: wireReception(receptionOf(sessionIds)) });
    return true;
  }

  async updatePermissions(receptions: Readonly<Record<string, RoomReception>>): Promise<void> {
    if (this.room.refuses) throw new Error('as the test wants it');
    for (const [id, reception] of Object.entries(receptions))
      this.room.present.get(id)?.permissions.change({ canReceive: wireReception(reception) });
  }

  /** Who is dialled answers at once. */
  async startDialout({ userId, reception }: RoomDialout): Promise<{ sessionId: string }> {
    const sessionId = this.dials;
    const named = userId === undefined ? {} : { userId };
    this.room.comes({ sessionId, userName: '', isOwner: false, kind: 'dial-out', ...named }, reception);
    return { sessionId };
  }

  async sendDtmf({ sessionId, tones }: { sessionId: string; tones: string }): Promise<void> {
    this.room.pressed.push(`${sessionId} ${tones}`);
  }

  async stopDialout({ sessionId }: { sessionId: string }): Promise<void> {
    this.room.goes(sessionId);
  }

  async sipCallTransfer(): Promise<void> {}
  async sipRefer(): Promise<void> {}
  async eject(): Promise<void> {}

  async leave(): Promise<void> {
    this.room.connections.delete(this);
    this.room.goes(this.sessionId);
    this.emit('left', {});
  }
}
