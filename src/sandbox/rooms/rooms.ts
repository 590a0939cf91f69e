import { randomBytes, randomUUID } from 'node:crypto';
import type { RoomProperties, RoomRecord } from './contract.js';
import { invalidRequest, notFound, requireFuture } from './refusals.js';

export interface RoomChange {
  readonly privacy?: RoomRecord['privacy'] | undefined;
  /** Null goes back to the default. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

export interface NewRoom extends RoomChange {
  /** Absent: a random one. */
  readonly name?: string | undefined;
}

/** Values of absent properties. @see rooms reference 6.1 */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  eject_at_room_exp: false,
  enable_chat: false,
  enable_dialout: false,
  max_participants: 200,
  owner_only_broadcast: false,
  sfu_switchover: 0.5,
  start_audio_off: false,
  start_video_off: false,
};

const FIRST_ADDRESS = 123_456_780;

export interface RoomsOptions {
  readonly urlOf: (name: string) => string;
  /** Begins the host of SIP addresses. */
  readonly domainName: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface StoredRoom {
  readonly room: RoomRecord;
  /** All numbered SIP addresses that the room has ever had: it keeps them as long as it exists. */
  readonly addresses: readonly string[];
}

/** The rooms of the account, without expired ones. */
export class Rooms {
  /** Oldest first. */
  readonly #stored = new Map<string, StoredRoom>();
  #nextAddress = FIRST_ADDRESS;

  constructor(private readonly options: RoomsOptions) {}

  get(name: string): RoomRecord | undefined {
    return this.#find(name)?.room;
  }

  /** @throws RoomRefusal 404 */
  existing(name: string): RoomRecord {
    return this.#existing(name).room;
  }

  /** Newest first. */
  list(): RoomRecord[] {
    return [...this.#stored.keys()].flatMap((name) => this.get(name) ?? []).reverse();
  }

  /** @param address without `sip:` */
  at(address: string): RoomRecord | undefined {
    return this.list().find((room) => room.sipEndpoints.includes(address));
  }

  /** @throws RoomRefusal */
  create({ name = randomBytes(10).toString('hex'), privacy = 'public', properties = {} }: NewRoom): RoomRecord {
    if (this.list().some((room) => room.name === name)) throw invalidRequest(`a room named ${name} already exists`);
    const room: RoomRecord = {
      id: randomUUID(),
      name,
      url: this.options.urlOf(name),
      privacy,
      createdAt: new Date(this.options.now()),
      properties: {},
      sipEndpoints: [],
    };
    return this.#store({ room, addresses: [] }, { privacy, properties });
  }

  /** Changes what is given. @throws RoomRefusal */
  update(name: string, change: RoomChange): RoomRecord {
    return this.#store(this.#existing(name), change);
  }

  /** @throws RoomRefusal 404 */
  delete(name: string): void {
    this.#existing(name);
    this.#stored.delete(name);
  }

  #existing(name: string): StoredRoom {
    const stored = this.#find(name);
    if (!stored) throw notFound(`room ${name} does not exist`);
    return stored;
  }

  #find(name: string): StoredRoom | undefined {
    const stored = this.#stored.get(name);
    const { exp } = stored?.room.properties ?? {};
    if (exp === undefined || exp * 1_000 > this.options.now()) return stored;
    this.#stored.delete(name);
    return undefined;
  }

  #store({ room, addresses }: StoredRoom, { privacy = room.privacy, properties: change }: RoomChange): RoomRecord {
    const properties: RoomProperties = withoutDefaults({ ...room.properties, ...change });
    const { exp, sip } = properties;
    if (change?.exp !== undefined && exp !== undefined) requireFuture(exp, this.options.now());
    const count = sip ? (sip.num_endpoints ?? 1) : 0;
    const kept = [...addresses];
    const isNamed = sip?.provider === 'daily';
    while (!isNamed && kept.length < count) kept.push(this.#newAddress());
    const sipEndpoints = isNamed ? this.#namedAddresses(room.name, count) : kept.slice(0, count);
    const changed: RoomRecord = { ...room, privacy, properties, sipEndpoints };
    this.#stored.set(room.name, { room: changed, addresses: kept });
    return changed;
  }

  /** What addresses are like in the provider's own SIP network. */
  #namedAddresses(room: string, count: number): string[] {
    return Array.from({ length: count }, (_, n) => `${room}.${n}@${this.options.domainName}.sip-us.localhost`);
  }

  #newAddress(): string {
    const address = `${this.#nextAddress}@${this.options.domainName}.sip.localhost`;
    this.#nextAddress += 1;
    return address;
  }
}

function withoutDefaults(properties: Readonly<Record<string, unknown>>): RoomProperties {
  const differs = ([name, value]: [string, unknown]): boolean => value !== null && value !== DEFAULTS[name];
  return Object.fromEntries(Object.entries(properties).filter(differs));
}
