import type { JoinRoom } from '../../providers/rooms/room-connection.js';

/**
 * Joins a room of the sandbox, with the client in this package: for the client of an extension that has no other rooms on this machine.
 * @throws VoicebotError VB_ROOM_JOIN_FAILED
 */
export const joinSandboxRoom: JoinRoom = async (options) => {
  const { joinWebRtcRoom } = await import('../../providers/rooms/webrtc/web-rtc-connection.js');
  return joinWebRtcRoom(options);
};
