import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { RoomConnection, RoomParticipant } from '../../../providers/rooms/room-connection.js';

/** Longest wait for a telephone that has answered to be in the room, in milliseconds. */
const ARRIVAL_LIMIT_MS = 2_000;

/**
 * Waits until a telephone is in the room: the provider may say that it has answered before it says that it has come. Resolves when it is there,
 * when the bot has left the room, and when it has not come in time.
 */
export async function telephoneArrival(
  room: Pick<RoomConnection, 'participants' | 'on' | 'off'>,
  sessionId: string,
): Promise<void> {
  if (room.participants.has(sessionId)) return;
  const arrived = deferred();
  const joined = (participant: RoomParticipant) => {
    if (participant.sessionId === sessionId) arrived.resolve();
  };
  const left = () => arrived.resolve();
  room.on('participant_joined', joined);
  room.on('left', left);
  await settlesWithin(arrived.promise, ARRIVAL_LIMIT_MS);
  room.off('participant_joined', joined);
  room.off('left', left);
}
