import { withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { decodeMulaw, encodeMulaw } from '../../../base/audio/mulaw.js';
import { TestTone } from '../../../base/audio/test-tone.js';
import { VoicebotError } from '../../../base/errors.js';
import { joinRoomFor } from '../../../bot/transports/room/join-room.js';
import type { RoomConnection, RoomEvents } from '../../../providers/rooms/room-connection.js';
import type { Room, RoomProvider, RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import { PhoneClient } from '../../../sandbox/network/phone-client.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { startRoomsSandbox } from './room-numbers.js';

const PHONE_TOKEN = 'of the phones of a story';
/** Longest wait for what is to happen, in milliseconds. */
const LIMIT_MS = 20_000;
/** Of the rooms and tokens of a story, in seconds. */
const LASTS_S = 600;
/** So many frames of a tone, 20 ms each, are heard. */
const TONE_FRAMES = 10;

/** A room of the provider on the sandbox. */
export interface RoomStage {
  readonly sandbox: Sandbox;
  readonly client: RoomsRestClient;
  readonly room: Room;
  /** Joins the room as an owner. @param userId what the token calls the participant */
  join(userId?: string): Promise<RoomConnection>;
}

/** @param joinsSandbox the provider's own client joins, where it has one */
export async function openRoomStage(
  rooms: RoomProvider,
  apiKey: string,
  joinsSandbox = false,
): Promise<RoomStage & AsyncDisposable> {
  const opened: Array<() => Promise<unknown>> = [];
  try {
    const sandbox = await startRoomsSandbox(rooms, apiKey, PHONE_TOKEN);
    opened.push(() => sandbox.close());
    const client = await rooms.createRestClient({ apiKey, apiUrl: sandbox.roomsApiUrl });
    opened.push(() => client.close());
    const expiresAt = Math.floor(Date.now() / 1_000) + LASTS_S;
    const dialin = { displayName: 'caller' };
    const room = await client.createRoom({ name: 'story', expiresAt, dialin, allowsDialout: true, idleSeconds: 60 });
    const loadClient = joinsSandbox ? rooms.loadClient : undefined;
    const joinRoom = loadClient ? await loadClient() : await joinRoomFor(rooms, room.url);
    return {
      sandbox,
      client,
      room,
      async join(userId) {
        const named = userId !== undefined && { userId };
        const token = await client.createToken({ roomName: room.name, isOwner: true, expiresAt, ...named });
        const userName = userId ?? 'bot';
        const options = { roomUrl: room.url, token, userName, sampleRate: 16_000, limitMs: LIMIT_MS };
        const connection = await joinRoom(options);
        opened.push(() => inTime(connection.leave(), 'the room was not left'));
        return connection;
      },
      [Symbol.asyncDispose]: () => closeInTurn(opened),
    };
  } catch (error) {
    await closeInTurn(opened);
    throw error;
  }
}

/** What was opened last first, and each even where closing another one fails. */
async function closeInTurn(opened: Array<() => Promise<unknown>>): Promise<void> {
  const close = opened.pop();
  if (!close) return;
  try {
    await close();
  } finally {
    await closeInTurn(opened);
  }
}

/** The next event of this kind. Rejects when it does not come. */
export function eventOf<Name extends keyof RoomEvents>(
  connection: RoomConnection,
  name: Name,
): Promise<NonNullable<RoomEvents[Name][0]>> {
  const happened = deferred<NonNullable<RoomEvents[Name][0]>>();
  const listener = (...[data]: RoomEvents[Name]) => happened.resolve(data as NonNullable<RoomEvents[Name][0]>);
  connection.on(name, listener);
  const told = inTime(happened.promise, `the room has not told ${name}`).finally(() => connection.off(name, listener));
  told.catch(() => {}); // told to those who wait for it
  return told;
}

/** Rejects when it takes longer than stories wait. @param what did not happen, for people */
export const inTime = <T>(promise: Promise<T>, what: string): Promise<T> =>
  withDeadline(promise, LIMIT_MS, () => new VoicebotError('VB_INTERNAL', `${what} within ${LIMIT_MS / 1_000} s`));

/** Listens for a tone. */
export class ToneEar {
  /** Rejects when the tone is not heard in time. */
  readonly heard: Promise<void>;
  readonly #heard = deferred();
  readonly #tone: TestTone;
  #frames = 0;

  /** @param frequency, sampleRate in hertz */
  constructor(frequency: number, sampleRate: number) {
    this.#tone = new TestTone(frequency, sampleRate);
    this.heard = inTime(this.#heard.promise, `a tone of ${frequency} Hz was not heard`);
    this.heard.catch(() => {}); // told to those who wait for it
  }

  /** @param pcm 20 ms */
  hear(pcm: Int16Array): void {
    if (this.#tone.isIn(pcm)) this.#frames += 1;
    if (this.#frames === TONE_FRAMES) this.#heard.resolve();
  }
}

/** A telephone that says a tone, and listens for another. */
export class StoryPhone implements AsyncDisposable {
  private constructor(
    private readonly client: PhoneClient,
    private readonly ear: ToneEar,
  ) {}

  /** @param says, hears in hertz */
  static async attach({ url }: Sandbox, says: number, hears: number): Promise<StoryPhone> {
    const said = encodeMulaw(new TestTone(says, 8_000).frame);
    const ear = new ToneEar(hears, 8_000);
    const exchange = (heard: Uint8Array) => {
      ear.hear(decodeMulaw(heard));
      return said;
    };
    return new StoryPhone(await PhoneClient.connect({ url, token: PHONE_TOKEN, exchange }), ear);
  }

  get heard(): Promise<void> {
    return this.ear.heard;
  }

  dial(from: string, to: string): void {
    this.client.dial({ from, to });
  }

  hangUp(): void {
    this.client.hangUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}
