import { z } from 'zod';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { Room } from '../../../providers/rooms/room-provider.js';
import { besideUserIds, OWN_USER_IDS, type RoomUserIds } from '../../../providers/rooms/user-ids.js';
import { maybe } from '../life/portable-life.js';

/** What a live call has in its room. */
export interface RoomOfCall {
  readonly id: CallId;
  readonly isDialled: boolean;
  /** The call that it was dialled beside, out of whose room: that one is closed with the other call. */
  readonly linkedTo?: CallId | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whom the bot is to call. */
  readonly phoneNumber: string | undefined;
  /** Seconds the call may last. */
  readonly limitS: number;
  /** How long a callee may let it ring, in seconds. Default: the runner's. */
  readonly ringS?: number | undefined;
  room: (Room & { readonly token: string }) | undefined;
}

/** What another runner needs of a call beside its life; the room's token is made anew. */
export const PARTS = z.object({
  isDialled: z.boolean(),
  linkedTo: maybe(z.string().transform(asCallId)),
  body: z.record(z.string(), z.unknown()),
  phoneNumber: maybe(z.string()),
  limitS: z.number().min(0),
  room: maybe(z.object({ name: z.string(), url: z.url(), allowsDialout: z.boolean() })),
});

export const withoutToken = ({ token: _, ...room }: Room & { readonly token: string }): Room => room;

/** The key is the runner's own, and written down nowhere. */
export function withoutKey({ daily_api_key: _, ...body }: RoomOfCall['body']): RoomOfCall['body'] {
  return body;
}

/** What the participants of a call are called in its room. */
export const userIdsOf = ({ id, linkedTo }: Pick<RoomOfCall, 'id' | 'linkedTo'>): RoomUserIds =>
  linkedTo === undefined ? OWN_USER_IDS : besideUserIds(id);
