import type { VoicebotExtension } from '../../../providers/registry/extensions.js';
import type { RoomProvider } from '../../../providers/room-provider.js';
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
}

/** What the stories of a room provider are made from. @internal */
export interface TriedRooms {
  readonly extension: VoicebotExtension & { readonly rooms: RoomProvider };
  readonly fixtures: RoomFixtures;
}
