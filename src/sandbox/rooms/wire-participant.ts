import type { WireParticipant } from '../../providers/rooms/client-messages.js';
import type { Participant } from './participant.js';

/** A participant as events show it. Without a user id of its own it has its session id. @see rooms reference 9.1 */
export const wireParticipant = (
  { sessionId, userId = sessionId, userName, permissions }: Omit<Participant, 'wire'>,
  {
    isOwner,
    participantType,
  }: { readonly isOwner: boolean; readonly participantType: WireParticipant['participantType'] },
): WireParticipant => ({
  session_id: sessionId,
  user_id: userId,
  user_name: userName,
  owner: isOwner,
  participantType,
  permissions: permissions.wire,
});
