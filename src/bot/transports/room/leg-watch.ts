import type { RoomConnection } from '../../../providers/rooms/room-connection.js';
import { LegSound } from './leg-sound.js';
import type { RoomCall } from './room-call.js';

/**
 * Listens to the leg that a bot serves as long as it is not certain that the other party is there. What is heard is the leg's only where no
 * other participant is in the room.
 * @param sampleRate of the room's audio, in hertz
 * @returns takes 20 ms of what is said in the room
 */
export function watchLeg(
  call: RoomCall,
  { participants }: Pick<RoomConnection, 'participants'>,
  sampleRate: number,
): (pcm: Int16Array) => void {
  let sound: LegSound | undefined;
  return (pcm) => {
    const { leg, isUnconfirmed } = call;
    const isAlone = isUnconfirmed && [...participants.keys()].every((sessionId) => sessionId === leg?.sessionId);
    if (!isAlone) {
      sound = undefined;
      return;
    }
    sound ??= new LegSound(sampleRate);
    const heard = sound.hear(pcm);
    if (heard) call.heard(heard);
  };
}
