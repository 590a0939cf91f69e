import { isFields, parseFields, textOf } from '../../../base/http/json-fields.js';
import { isWireParticipant, readError } from '../client-messages.js';
import type { RoomMessage } from './room-wire.js';

/** @returns undefined for what is not a message of a room, or lacks what it needs */
export function readRoomMessage(text: string): RoomMessage | undefined {
  const message = parseFields(text);
  if (!message) return undefined;
  switch (message.type) {
    case 'joined': {
      const sessionId = textOf(message.sessionId);
      const sdp = textOf(message.sdp);
      if (!sessionId || !sdp || !Array.isArray(message.participants)) return undefined;
      return { type: 'joined', sessionId, sdp, participants: message.participants.filter(isWireParticipant) };
    }
    case 'refused':
      return { type: 'refused', ...readError(message) };
    case 'event': {
      const { event } = message;
      const action = isFields(event) ? textOf(event.action) : undefined;
      return isFields(event) && action ? { type: 'event', event: { ...event, action } } : undefined;
    }
    case 'response': {
      const { id, result, error } = message;
      if (typeof id !== 'number') return undefined;
      return isFields(error) ? { type: 'response', id, error: readError(error) } : { type: 'response', id, result };
    }
    case 'ejected':
      return { type: 'ejected', reason: textOf(message.reason) ?? '' };
    default:
      return undefined;
  }
}
