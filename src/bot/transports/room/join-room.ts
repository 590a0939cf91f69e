import type { Pages } from '../../../providers/daily/client/pages.js';
import { isOfSandbox } from '../../../providers/rooms/room-address.js';
import type { JoinRoom } from '../../../providers/rooms/room-connection.js';
import { simulatedRoom } from '../../../providers/rooms/simulated-rooms.js';

/** How a room is joined: by the client in this package, or by the provider's own in a browser. */
export type RoomsClient = 'built-in' | 'browser';

/** The rooms of the sandbox are on this machine; a provider's never are. */
export function clientFor(roomUrl: string, setting: string | undefined): RoomsClient {
  if (setting === 'built-in' || setting === 'browser') return setting;
  return isOfSandbox(roomUrl) ? 'built-in' : 'browser';
}

/**
 * What joins a room, loaded when it is needed: either is large.
 * @param pages of the browser that joins it. Default: as {@link clientFor} says, with the pages of this process
 */
export async function joinRoomFor(roomUrl: string, pages?: Pages): Promise<JoinRoom> {
  const simulated = simulatedRoom(roomUrl);
  if (simulated) return simulated;
  if (pages || clientFor(roomUrl, process.env.ROOMS_CLIENT) === 'browser') {
    const { joinThroughBrowser, joinWithBrowser } = await import(
      '../../../providers/daily/client/join-through-browser.js'
    );
    return pages ? (options) => joinWithBrowser(options, { pages }) : joinThroughBrowser;
  }
  const { joinWebRtcRoom } = await import('../../../providers/rooms/webrtc/web-rtc-connection.js');
  return joinWebRtcRoom;
}
