/**
 * How a client and a room talk beside the media: JSON text messages on a WebSocket to the room's own address, with
 * `http` replaced by `ws`. The first message joins; nothing is told to a client that has not.
 */

import type { RoomMethod, WireError, WireEvent, WireParticipant } from '../client-messages.js';

/** The WebSocket subprotocol. */
export const ROOM_PROTOCOL = 'voicebot-room.1';

/** Largest message of either side, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1_024;

export type ClientMessage =
  /** `sdp` is a whole offer: candidates included, one audio section. */
  | { readonly type: 'join'; readonly token: string; readonly userName: string; readonly sdp: string }
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: RoomMethod;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'leave' };

export type RoomMessage =
  /** `sdp` is the whole answer. Events follow. */
  | {
      readonly type: 'joined';
      readonly sessionId: string;
      readonly sdp: string;
      readonly participants: readonly WireParticipant[];
    }
  /** The join was refused, and the socket is closed. `error` as in `error.type` of the provider's client: `exp-token`, `not-allowed`, … */
  | { readonly type: 'refused'; readonly error: string; readonly info: string }
  | { readonly type: 'event'; readonly event: WireEvent }
  | { readonly type: 'response'; readonly id: number; readonly result?: unknown; readonly error?: WireError }
  /** We were removed, or the room is over; the socket is closed. */
  | { readonly type: 'ejected'; readonly reason: string };
