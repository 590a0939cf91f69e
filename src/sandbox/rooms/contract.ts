import type { CallControlMethod } from '../../providers/rooms/client-messages.js';
import type { Permissions } from './permissions.js';

/** The properties of a room that the sandbox acts on; it keeps and shows the others. @see rooms reference 6.1 */
export interface RoomProperties {
  readonly exp?: number;
  readonly nbf?: number;
  readonly eject_at_room_exp?: boolean;
  readonly max_participants?: number;
  /** Of participants who are no owners. */
  readonly permissions?: Permissions;
  readonly enable_dialout?: boolean;
  readonly dialout_config?: { readonly max_idle_timeout_sec?: number };
  readonly sip?: {
    readonly display_name: string;
    readonly num_endpoints?: number;
    /** Whose SIP network takes the calls; absent: `signalwire`. */
    readonly provider?: 'daily' | 'signalwire';
    readonly dialin_config?: { readonly max_idle_timeout_sec?: number };
  };
  readonly [name: string]: unknown;
}

export interface RoomRecord {
  readonly id: string;
  readonly name: string;
  /** Where clients join, and what a browser shows as a page. */
  readonly url: string;
  readonly privacy: 'public' | 'private';
  readonly createdAt: Date;
  readonly properties: RoomProperties;
  /** Its SIP addresses, without `sip:`; empty when it takes no calls. */
  readonly sipEndpoints: readonly string[];
}

/** The claims of a token that the sandbox acts on. @see rooms reference 7 */
export interface TokenClaims {
  /** Undefined: any room of the domain. */
  readonly roomName: string | undefined;
  readonly isOwner: boolean;
  /** What it says of participants who are no owners. */
  readonly permissions: Permissions | undefined;
  readonly userName: string | undefined;
  readonly userId: string | undefined;
  /** Seconds since the epoch. */
  readonly exp: number | undefined;
  readonly nbf: number | undefined;
  readonly ejectsAtExp: boolean;
}

/** Where calls to one number, or to one static SIP address, go. @see rooms reference 3 */
export interface SandboxDialin {
  readonly phoneNumber: string | undefined;
  readonly webhookUrl: string;
  /** base64 */
  readonly hmac: string;
  /** Spoken to a caller whom no bot has connected in time. */
  readonly timeoutMessage: string | undefined;
  /** The static address, without `sip:`. */
  readonly sipUri: string;
}

/** The account at the room provider: its rooms, its numbers, and where calls go. */
export interface RoomAccount {
  readonly domainName: string;
  readonly domainId: string;
  /** Whether its plan has transcription. */
  readonly hasTranscription: boolean;
  /** Undefined when there is none, or it has expired. */
  room(name: string): RoomRecord | undefined;
  /** @param sipUri with or without `sip:` */
  roomAt(sipUri: string): RoomRecord | undefined;
  /** Undefined for a token that this account has not signed. Whether it is good now and here the caller decides. */
  readToken(token: string): TokenClaims | undefined;
  dialinOf(phoneNumber: string): SandboxDialin | undefined;
  /** The numbers of the account, the oldest first, E.164. */
  readonly numbers: readonly { readonly id: string; readonly number: string }[];
}

/** A participant of a room, as `presence` shows it. */
export interface Presence {
  readonly sessionId: string;
  readonly userName: string;
  /** From the token, or from the request that dialled; undefined when there was none. */
  readonly userId: string | undefined;
  readonly joinedAt: Date;
}

/** The live sessions in the account's rooms, and the callers who wait for one. */
export interface LiveRooms {
  /** Undefined for an empty room. */
  presence(roomName: string): readonly Presence[] | undefined;
  /**
   * Call control, the same for the REST API and for a client in the room; `params` are unchecked.
   * @returns the fields of the answer beside `ok`
   * @throws RoomRefusal
   */
  control(roomName: string, method: CallControlMethod, params: Readonly<Record<string, unknown>>): Promise<object>;
  /** @throws RoomRefusal 404 when the caller has gone or the endpoint is not ready */
  forward(call: { callId: string; callDomain: string; sipUri: string }): Promise<void>;
  /** The room has been deleted: everybody leaves, telephones are hung up. */
  end(roomName: string): void;
}

/** A refusal by the provider. @see rooms reference 1.1 */
export class RoomRefusal extends Error {
  override readonly name = 'RoomRefusal';

  constructor(
    readonly status: number,
    readonly error: string,
    readonly info: string,
  ) {
    super(`${error}: ${info}`);
  }
}
