import { VoicebotError } from '../../errors.js';
import type { JoinRoom } from '../room-connection.js';

/**
 * Joins a room with the provider's own client, in a page of a browser.
 * @throws VoicebotError VB_BROWSER_FAILED, VB_ROOM_JOIN_FAILED
 */
export const joinThroughBrowser: JoinRoom = async () => {
  throw new VoicebotError('VB_ROOM_JOIN_FAILED', 'not built yet');
};
