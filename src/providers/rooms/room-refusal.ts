import { VoicebotError, type VoicebotErrorOptions } from '../../base/errors.js';
import { hintFor } from '../refusal-hints.js';
import type { RoomMethod, WireError } from './client-messages.js';

/** What a refusal at the door means for the person who set the room up (rooms reference 9.1). */
const JOIN_HINTS: Readonly<Record<string, string>> = {
  'exp-token': 'get a new token for the room: this one has expired',
  'nbf-token': 'wait until the token is valid, or get one without nbf; check the clock of this machine',
  'not-allowed': 'get a token for this very room: this one is missing, or belongs to another room or account',
  'no-room': 'create the room first: it does not exist, or has been deleted',
  'exp-room': 'create a new room: this one has expired',
  'nbf-room': 'wait until the room opens, or create one without nbf; check the clock of this machine',
  'meeting-full': 'raise max_participants of the room, or wait until a participant leaves',
};

/** The longest piece of the provider's words that enters a message, in characters. */
const MAX_WORDS = 300;

export const joinFailed = (detail: string, options: VoicebotErrorOptions = {}): VoicebotError =>
  new VoicebotError('VB_ROOM_JOIN_FAILED', detail, options);

/** The room does not let us in; `type` is the provider's word for why (rooms reference 9.1). */
export class JoinRefusedError extends VoicebotError {
  constructor(
    readonly type: string,
    words: string,
  ) {
    super('VB_ROOM_JOIN_FAILED', words, { hint: JOIN_HINTS[type] ?? hintFor(words) });
  }
}

/** The provider's words for a room that is not there any more, for those who come to it and those who are in it (rooms reference 9.1). */
const CLOSED = ['no-room', 'exp-room', 'room-deleted'];

/** We were removed from the room; `words` are the provider's for why. */
export class RemovedError extends VoicebotError {
  readonly isRoomClosed: boolean;

  constructor({ error, info }: WireError, token: string) {
    super('VB_STREAM_CLOSED', `removed from the room: ${wordsOf({ error, info }, token)}`);
    this.isRoomClosed = CLOSED.includes(error) || CLOSED.includes(info);
  }
}

/** Whether this error, or its cause, tells that the provider has the room no more: it was deleted, or has expired. */
export function isRoomClosed(error: unknown): boolean {
  if (error instanceof RemovedError) return error.isRoomClosed;
  if (error instanceof JoinRefusedError) return CLOSED.includes(error.type);
  return error instanceof Error && isRoomClosed(error.cause);
}

export const joinRefused = ({ error, info }: WireError, token: string): JoinRefusedError =>
  new JoinRefusedError(error, wordsOf({ error, info }, token));

export function requestRefused(method: RoomMethod, { error, info }: WireError, token: string): VoicebotError {
  const hint = hintFor(`${error} ${info}`);
  const Refusal = error === 'rate-limit-error' ? RoomBusyError : VoicebotError;
  return new Refusal('VB_ROOMS_REQUEST_FAILED', `${method}: ${wordsOf({ error, info }, token)}`, { hint });
}

/** The provider is asked for too much at once: it has done nothing, and may be asked again (rooms reference 1.2). */
export class RoomBusyError extends VoicebotError {}

/** The connection was lost before the provider has answered: it may have done what it was asked for, or not. */
export class RequestLostError extends VoicebotError {
  constructor(method: RoomMethod) {
    super(
      'VB_ROOMS_REQUEST_FAILED',
      `${method}: the connection was lost before the provider answered; it may have been carried out`,
    );
  }
}

/** Without the token and the telephone numbers that they may repeat: messages are logged. */
export function wordsOf({ error, info }: WireError, token: string): string {
  const words = [error, info].filter((part) => part !== '').join(': ') || 'no reason given';
  return (token === '' ? words : words.replaceAll(token, '[redacted]'))
    .slice(0, 10 * MAX_WORDS)
    .replaceAll(/(?<![\w-])\+?\d{7,15}(?![\w-])/g, '[number]')
    .slice(0, MAX_WORDS);
}
