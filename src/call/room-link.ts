import type { EndReason } from './call.js';

/** What a bot's transport tells the runner about its call. */
export type RoomNews =
  /** The bot is in the room. */
  | { readonly type: 'joined' }
  /** The held caller has been forwarded. */
  | { readonly type: 'forwarded' }
  /** The provider has taken a call that goes out; it may ring already. */
  | { readonly type: 'dialled'; readonly sessionId: string }
  | { readonly type: 'ringing' }
  /** The other party is there and hears the bot. */
  | { readonly type: 'connected' }
  /** The provider has taken a transfer, or its destination rings. */
  | { readonly type: 'transferring'; readonly transfer?: RoomTransferState }
  /** A transfer came to nothing. */
  | { readonly type: 'transfer_failed' }
  /** How the call came to its end, as far as the bot could see. The first one counts. */
  | { readonly type: 'over'; readonly reason: EndReason }
  /** Nobody has said anything for as long as the call may be silent. */
  | { readonly type: 'silent' };

/** A transfer that the provider carries out. */
export interface RoomTransferState {
  /** E.164, or a `sip:` address. */
  readonly to: string;
  /** The leg of the caller, which leaves the room when the destination answers. */
  readonly leg: { readonly sessionId: string; readonly kind: 'dial-in' | 'dial-out' };
  /** The leg of the destination, as soon as there is news of it. */
  readonly destination?: string | undefined;
  readonly isRinging: boolean;
}

/** What an earlier bot of the same call has done, for the one that takes over. */
export interface RoomPast {
  /** The held caller is in the room, or on the way to it. */
  readonly isForwarded: boolean;
  /** The call that goes out: dialling it again would ring twice. */
  readonly dialout: { readonly sessionId: string; readonly isAnswered: boolean } | undefined;
  /** The transfer that was going on: the caller hears the destination ring. */
  readonly transfer?: RoomTransferState | undefined;
}

/** What a runner is to the bot in one room. */
export interface RoomLink {
  readonly past: RoomPast;
  /** After this much silence of both sides the runner is told, in milliseconds; 0 means never. */
  readonly silenceMs: number;
  /** Another bot has taken the call over: nobody is to be sent away. */
  isReplaced(): boolean;
  /**
   * @returns `to` as E.164 when calls may go there
   * @throws VoicebotError VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT
   */
  checkTarget(to: string): Promise<string>;
  tell(news: RoomNews): void;
}

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const ROOM_LINKS = Symbol.for('voicebot.roomLinks');

const links = sharedLinks();

function sharedLinks(): Map<string, RoomLink> {
  const shared = globalThis as { [ROOM_LINKS]?: Map<string, RoomLink> };
  shared[ROOM_LINKS] ??= new Map();
  return shared[ROOM_LINKS];
}

const keyOf = (roomUrl: string, token: string) => `${token} ${roomUrl}`;

/** Connects a room with the runner that has started a bot for it. @returns undoes it */
export function linkRoom(roomUrl: string, token: string, link: RoomLink): () => void {
  const key = keyOf(roomUrl, token);
  links.set(key, link);
  return () => {
    if (links.get(key) === link) links.delete(key);
  };
}

/** Undefined for a room that no runner gave the bot. */
export function roomLinkOf(roomUrl: string, token: string): RoomLink | undefined {
  return links.get(keyOf(roomUrl, token));
}
