import { VoicebotError } from '../../../base/errors.js';
import type { RoomConnection, RoomEvents, RoomParticipant } from '../../../providers/rooms/room-connection.js';

/** What tells of a telephone that was dialled. */
const SIGNS = [
  'dialout_connected',
  'dialout_answered',
  'dialout_stopped',
  'dialout_error',
  'participant_joined',
] as const satisfies (keyof RoomEvents)[];

/** What the signs have in common. */
type DialoutSign = Partial<Pick<RoomParticipant, 'sessionId' | 'kind' | 'userId'>> & { readonly destination?: string };

/**
 * Finds the telephone that an earlier bot of the call has had dialled, whose process was gone before the provider had named the leg: dialling
 * it again would ring twice. It is the next one that rings, answers or comes. There is no limit here: the runner ends a call whose telephone is
 * not answered in time.
 * @param to as it was dialled
 * @param isOurs whether a participant, or what is told of a leg, may be of the call
 * @throws VoicebotError VB_STREAM_CLOSED when the bot leaves the room before
 */
export function earlierDialout(
  room: Pick<RoomConnection, 'participants' | 'on' | 'off'>,
  to: string | undefined,
  isOurs: (participant: Pick<RoomParticipant, 'sessionId' | 'userId'>, isLegEvent: boolean) => boolean,
): Promise<{ readonly sessionId: string }> {
  return new Promise((resolve, reject) => {
    const told = ({ sessionId, userId, kind, destination }: DialoutSign) => {
      const isOther = destination !== undefined && destination !== to;
      if (sessionId === undefined || isOther || (kind !== undefined && kind !== 'dial-out')) return;
      if (!isOurs({ sessionId, ...(userId !== undefined && { userId }) }, kind === undefined)) return;
      stop();
      resolve({ sessionId });
    };
    const left = () => {
      stop();
      reject(new VoicebotError('VB_STREAM_CLOSED', 'the bot has left the room'));
    };
    const stop = () => {
      for (const sign of SIGNS) room.off(sign, told);
      room.off('left', left);
    };
    for (const sign of SIGNS) room.on(sign, told);
    room.on('left', left);
    for (const participant of room.participants.values()) told(participant);
  });
}
