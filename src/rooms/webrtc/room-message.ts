import type { RawData } from 'ws';
import type { RoomMessage, WireError, WireParticipant } from './room-wire.js';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for anything but text, and for none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** @returns undefined for what is not a message of a room, or lacks what it needs */
export function readRoomMessage(data: RawData, isBinary: boolean): RoomMessage | undefined {
  const message = isBinary ? undefined : parse(String(data));
  if (!isFields(message)) return undefined;
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

const readError = ({ error, info }: Fields): WireError => ({ error: textOf(error) ?? '', info: textOf(info) ?? '' });

export const isWireParticipant = (value: unknown): value is WireParticipant =>
  isFields(value) && textOf(value.session_id) !== undefined;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
