import type { VoicebotExtension } from '../../../providers/registry/extensions.js';
import type { RoomProvider } from '../../../providers/rooms/room-provider.js';
import type { SignedRoomsWebhook } from '../../../sandbox/rooms/face.js';

/** What `roomConformance` holds against a room provider: as its documentation shows it, or as it was recorded, and not as its own code makes it. */
export interface RoomFixtures {
  /** A key of the provider's form. */
  readonly apiKey: string;
  /** Signs {@link webhook}, base64. */
  readonly secret: string;
  /** A webhook about a caller who is held, signed now. */
  readonly webhook: () => SignedRoomsWebhook;
  /** What it says; the numbers are E.164. */
  readonly call: {
    readonly callId: string;
    readonly callDomain: string;
    readonly from: string;
    readonly to: string;
  };
  /** Opens a room for the client that bots join with. Default: that client is not tried. */
  readonly room?: () => Promise<RoomForClients>;
  /** The provider's client can join rooms of the sandbox: the stories about calls go through it too. Default false: the built-in client joins. */
  readonly joinsSandbox?: boolean;
}

/** A room of the provider's, or one that a server of the test plays. */
export interface RoomForClients {
  readonly roomUrl: string;
  /** Of an owner. @param userId what the token calls the participant */
  token(userId: string): Promise<string>;
  /** Closes it, and what it was opened with. */
  close(): Promise<void>;
}

/** What the stories of a room provider are made from. @internal */
export interface TriedRooms {
  readonly extension: VoicebotExtension & { readonly rooms: RoomProvider };
  readonly fixtures: RoomFixtures;
}
