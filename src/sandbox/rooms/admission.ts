import type { RoomAccount, RoomRecord } from './contract.js';
import type { SandboxLiveRooms } from './live-rooms.js';
import type { Permissions } from './permissions.js';

export interface JoinRequest {
  readonly roomName: string;
  /** Empty: none. */
  readonly token: string;
  readonly userName: string;
}

export type RoomAdmission =
  | {
      readonly room: RoomRecord;
      readonly userName: string;
      readonly userId: string | undefined;
      readonly isOwner: boolean;
      /** What it may do at the beginning. */
      readonly permissions: Permissions | undefined;
      /** When its token ends its stay, in milliseconds since the epoch. */
      readonly ejectedAt: number | undefined;
      readonly refusal?: never;
    }
  | { readonly refusal: { readonly error: string; readonly info: string } };

/**
 * Decides whether a client may join a room now. A refusal uses the words of `error.type` of the provider's client.
 * @param nowMs milliseconds since the epoch
 * @see rooms reference 7 and 9.1
 */
export function admissionOf(
  { roomName, token, userName }: JoinRequest,
  account: Pick<RoomAccount, 'room' | 'readToken'>,
  live: Pick<SandboxLiveRooms, 'session'>,
  nowMs: number,
): RoomAdmission {
  const now = nowMs / 1_000;
  const session = live.session(roomName);
  const room = account.room(roomName);
  if (!room && session) return refused('exp-room', 'the room has expired');
  if (!room) return refused('no-room', 'the room does not exist');
  const claims = token ? account.readToken(token) : undefined;
  if (token && !claims) return refused('not-allowed', 'the token is not valid');
  if (claims?.roomName !== undefined && claims.roomName !== roomName) {
    return refused('not-allowed', 'the token is for another room');
  }
  const { exp, nbf } = claims ?? {};
  if (exp !== undefined && exp <= now) return refused('exp-token', 'the token has expired');
  if (nbf !== undefined && nbf > now) return refused('nbf-token', 'the token is not valid yet');
  if (!claims && room.privacy === 'private') return refused('not-allowed', 'the room is private: a token is needed');
  const { properties } = room;
  if (properties.exp !== undefined && properties.exp <= now) return refused('exp-room', 'the room has expired');
  if (properties.nbf !== undefined && properties.nbf > now) return refused('nbf-room', 'the room is not open yet');
  if (session?.isFull) return refused('meeting-full', 'the room is full');
  const ejectedAt = claims?.ejectsAtExp && exp !== undefined ? exp * 1_000 : undefined;
  const { isOwner = false, permissions, userId } = claims ?? {};
  return { room, userName: claims?.userName ?? userName, userId, isOwner, permissions, ejectedAt };
}

const refused = (error: string, info: string): RoomAdmission => ({ refusal: { error, info } });
