import { VoicebotError } from '../../../base/errors.js';
import type { Room, RoomRequest, RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import { ROOM_IDLE_S, type RoomKeeper } from './room-keeper.js';
import { type RoomOfCall, userIdsOf, withoutToken } from './room-of-call.js';

/** How much longer than its call a room may be open, in seconds: until the bot is there, and to say goodbye. */
export const ROOM_SLACK_S = 120;

export interface RoomEntriesOptions {
  readonly keeper: Pick<RoomKeeper, 'open' | 'close'>;
  readonly client: Pick<RoomsRestClient, 'createToken'>;
  /** How long a callee may let it ring. */
  readonly ringSeconds: number;
}

/** Rooms for calls, and the tokens that let bots in. */
export class RoomEntries {
  constructor(private readonly options: RoomEntriesOptions) {}

  /** @throws what the provider's client throws; nothing is left open then */
  async open(call: RoomOfCall, request: Pick<RoomRequest, 'dialin' | 'allowsDialout'>): Promise<void> {
    const { keeper, ringSeconds } = this.options;
    const lastsS = call.limitS + ROOM_SLACK_S + (call.isDialled ? ringSeconds : 0);
    const expiresAt = Math.ceil(Date.now() / 1_000) + lastsS;
    const room = await keeper.open({ ...request, expiresAt, idleSeconds: ROOM_IDLE_S });
    try {
      call.room = { ...room, token: await this.tokenFor(call, room, lastsS) };
    } catch (error) {
      keeper.close(room.name);
      throw error;
    }
  }

  /** A call that is dialled beside another one takes place in the same room. */
  async enter(other: RoomOfCall | undefined, call: RoomOfCall): Promise<void> {
    const { room } = other ?? {};
    if (!room) throw new VoicebotError('VB_STREAM_CLOSED', 'the call is over');
    const token = await this.tokenFor(call, room, call.limitS + ROOM_SLACK_S + (call.ringS ?? 0));
    call.room = { ...withoutToken(room), token };
  }

  /** For each bot of a call. @param lastsS how long it is good, in seconds */
  tokenFor(call: Pick<RoomOfCall, 'id' | 'linkedTo'>, { name: roomName }: Room, lastsS: number): Promise<string> {
    const expiresAt = Math.ceil(Date.now() / 1_000) + lastsS;
    const { bot: userId } = userIdsOf(call);
    return this.options.client.createToken({ roomName, isOwner: true, expiresAt, userId });
  }
}
