import type { IncomingHttpHeaders } from 'node:http';
import type { RestOptions } from '../../base/http/rest-client.js';
import type { ProviderCallId } from '../../call/call-id.js';
import type { NumberRouting } from '../../call/number-routing.js';
import type { TrialWebhook } from '../carrier.js';
import type { JoinRoom } from './room-connection.js';

/** How the provider's REST API is reached. */
export interface RoomsCredentials {
  readonly apiKey: string;
  /** Base address, such as one that ends in `/v1`. */
  readonly apiUrl: string;
  /** The variable that the key stands in. Default: `ROOMS_API_KEY`. */
  readonly keyName?: string | undefined;
}

/** What the provider tells its webhook about a call that it holds for us. */
export type DialinWebhook =
  | {
      readonly kind: 'call';
      /** Opaque; the same for every delivery about one call. */
      readonly providerCallId: ProviderCallId;
      /** Opaque. */
      readonly callDomain: string;
      /** As received: E.164 or a `sip:` address; undefined where the caller's number is withheld or not known. */
      readonly from: string | undefined;
      readonly to: string;
      readonly sipHeaders: Readonly<Record<string, string>> | undefined;
    }
  /** Sent when the number is configured: nothing is to be started. */
  | { readonly kind: 'test' }
  /** `problem` names what is missing or wrong. */
  | { readonly kind: 'invalid'; readonly problem: string };

/** The room that is wanted for a call. */
export interface RoomRequest {
  /** `[A-Za-z0-9_-]`, at most 128 characters. */
  readonly name: string;
  /** When it ends for everybody, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Present when it takes telephone calls: what others see of the caller. */
  readonly dialin?: { readonly displayName: string };
  /** Whether telephone calls can go out of it, transfers to numbers among them. */
  readonly allowsDialout: boolean;
  /** How long a telephone leg stays when no other participant is in the room, in whole seconds. */
  readonly idleSeconds: number;
}

/** A room that is there. */
export interface Room {
  readonly name: string;
  /** http or https; its path ends in the room's name. */
  readonly url: string;
  /** Whether calls can go out of it: an account may not be allowed to. */
  readonly allowsDialout: boolean;
}

/** Who is to be let into a room, and as what. */
export interface RoomTokenRequest {
  readonly roomName: string;
  /** Owners may dial, transfer and remove others. */
  readonly isOwner: boolean;
  /** In seconds since the epoch. */
  readonly expiresAt: number;
  /** What the participant is called in the room, 36 characters at most. Default: its session id. */
  readonly userId?: string;
}

/** What signs the webhooks of one entry of the account's dial-in settings. */
export interface DialinSecret {
  readonly webhookUrl: string;
  /** base64 */
  readonly secret: string;
}

/** The account at the room provider, as far as the runner and a bot need it. */
export interface RoomsRestClient {
  /**
   * Creates a private room; one whose answer was lost is found again, since its name is ours. Where the account may not dial out, the room comes without that.
   * @throws VoicebotError VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED, VB_ROOMS_UNREACHABLE
   */
  createRoom(request: RoomRequest, signal?: AbortSignal): Promise<Room>;
  /** @returns `no_such_room` when it is gone already. @throws as {@link createRoom} */
  deleteRoom(name: string, signal?: AbortSignal): Promise<'deleted' | 'no_such_room'>;
  /** Whether anybody is in a room; false when there is no such room. @throws as {@link createRoom} */
  isOccupied(name: string, signal?: AbortSignal): Promise<boolean>;
  /**
   * Hangs up a call that was dialled out of a room, whether it rings or is answered.
   * @returns `no_such_leg` when it, or the room, is gone already. @throws as {@link createRoom}
   */
  stopDialout(name: string, sessionId: string, signal?: AbortSignal): Promise<'stopped' | 'no_such_leg'>;
  /**
   * Removes a participant from a room; a telephone is hung up.
   * @param userId what its token, or the request that dialled it, calls it
   * @returns the session ids of those that had the name, mostly one or none; undefined when the room has no participants, or is gone.
   * @throws as {@link createRoom}
   */
  eject(name: string, userId: string, signal?: AbortSignal): Promise<readonly string[] | undefined>;
  /** @throws as {@link createRoom} */
  createToken(request: RoomTokenRequest, signal?: AbortSignal): Promise<string>;
  /**
   * Forwards a held caller to a SIP endpoint that is ready.
   * @param forward `sipUri` with or without `sip:`
   * @returns `no_such_call` when the caller has gone, or the endpoint cannot be used: the provider does not say which
   * @throws as {@link createRoom}
   */
  forwardCaller(
    forward: { readonly providerCallId: ProviderCallId; readonly callDomain: string; readonly sipUri: string },
    signal?: AbortSignal,
  ): Promise<'forwarded' | 'no_such_call'>;
  /** Of every entry that has a webhook and shows its secret. @throws as {@link createRoom} */
  dialinSecrets(signal?: AbortSignal): Promise<readonly DialinSecret[]>;
  /** The room's SIP addresses, with `sip:`; empty when it takes no calls, and when there is no such room. @throws as {@link createRoom} */
  sipEndpoints(name: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Closes its connections. */
  close(): Promise<void>;
}

/**
 * One room provider's wire: everything the runner needs to know about it. It holds a caller, tells a webhook of them, and forwards them
 * to a SIP address of a room when they are asked for.
 */
export interface RoomProvider {
  readonly name: string;
  readonly defaultApiUrl: string;
  /** The provider's own name for the variable of the key, such as `DAILY_API_KEY`; counts where `ROOMS_API_KEY` is not set. */
  readonly keyVariable?: string;
  /**
   * Whether a webhook was signed with our secret, and within the last minutes.
   * @param request `body`: the bytes as received
   * @param now milliseconds since the epoch
   */
  verifyWebhook(
    request: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
    secret: string,
    now: number,
  ): boolean;
  /**
   * A webhook of a call without what a call has, so that it starts nothing, signed as the provider would: `doctor` sees with it whether what is
   * signed is taken for genuine where it arrives. {@link parseWebhook} must find it `invalid`, and not `test`, which needs no signature.
   */
  trialWebhook(secret: string, now: number): TrialWebhook;
  /** @throws SyntaxError when the body is not JSON */
  parseWebhook(body: Buffer): DialinWebhook;
  /** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID */
  createRestClient(credentials: RoomsCredentials, options?: Pick<RestOptions, 'onSent'>): Promise<RoomsRestClient>;
  /** @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID */
  createNumberRouting(credentials: RoomsCredentials): Promise<NumberRouting>;
  /** Loads what the first client of the REST API would wait for: a caller waits with it. Default: nothing. */
  preload?(): Promise<unknown>;
  /**
   * Loads what joins its rooms, in the process of a bot. Missing: its rooms are joined with Daily's client, in a browser. Rooms of the sandbox
   * are joined without it.
   */
  loadClient?(): Promise<JoinRoom>;
}
