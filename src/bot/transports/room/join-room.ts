import type { Pages } from '../../../providers/daily/client/pages.js';
import { isOfSandbox } from '../../../providers/rooms/room-address.js';
import type { JoinRoom } from '../../../providers/rooms/room-connection.js';
import type { RoomProvider } from '../../../providers/rooms/room-provider.js';
import { simulatedRoom } from '../../../providers/rooms/simulated-rooms.js';

/** How a room is joined: by the client in this package, or by Daily's in a browser. */
export type RoomsClient = 'built-in' | 'browser';

/**
 * The rooms of the sandbox are on this machine; a provider's never are.
 * @param setting `ROOMS_CLIENT`, whose `browser` means the provider's own client
 * @returns `own`: what the provider brings joins it
 */
export function clientFor(
  { loadClient }: Pick<RoomProvider, 'loadClient'>,
  roomUrl: string,
  setting: string | undefined,
): RoomsClient | 'own' {
  if (setting === 'built-in' || (setting !== 'browser' && isOfSandbox(roomUrl))) return 'built-in';
  return loadClient ? 'own' : 'browser';
}

/** How a room is joined. */
export interface JoinWishes {
  /** Of the browser that joins it. Default: as {@link clientFor} says, with the pages of this process. */
  readonly pages?: Pages | undefined;
  /** The setting `roomsClient`. Default: `ROOMS_CLIENT` of this process, as bots have it. */
  readonly setting?: string | undefined;
}

/** What joins a room, loaded when it is needed: each is large. */
export async function joinRoomFor(
  provider: RoomProvider,
  roomUrl: string,
  { pages, setting = process.env.ROOMS_CLIENT }: JoinWishes = {},
): Promise<JoinRoom> {
  const simulated = simulatedRoom(roomUrl);
  if (simulated) return simulated;
  const client = clientFor(provider, roomUrl, setting);
  if (client === 'own' && provider.loadClient) return provider.loadClient();
  if (pages || client === 'browser') {
    const { joinThroughBrowser, joinWithBrowser } = await import(
      '../../../providers/daily/client/join-through-browser.js'
    );
    return pages ? (options) => joinWithBrowser(options, { pages }) : joinThroughBrowser;
  }
  const { joinWebRtcRoom } = await import('../../../providers/rooms/webrtc/web-rtc-connection.js');
  return joinWebRtcRoom;
}
