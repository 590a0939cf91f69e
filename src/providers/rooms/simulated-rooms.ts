import type { JoinRoom } from './room-connection.js';

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const ROOMS = Symbol.for('voicebot.simulatedRooms');

function rooms(): Map<string, JoinRoom> {
  const shared = globalThis as { [ROOMS]?: Map<string, JoinRoom> };
  shared[ROOMS] ??= new Map();
  return shared[ROOMS];
}

/** From now on who joins this room of this process joins it so. @returns undoes it */
export function simulateRoom(roomUrl: string, join: JoinRoom): () => void {
  rooms().set(roomUrl, join);
  return () => rooms().delete(roomUrl);
}

/** Undefined for a room that is none of {@link simulateRoom}. */
export const simulatedRoom = (roomUrl: string): JoinRoom | undefined => rooms().get(roomUrl);
