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

/**
 * The room does not let us in (`VB_ROOM_JOIN_FAILED`). A client throws it, so that what is decided by the reason is right: with `no-room`, `exp-room`
 * and `room-deleted` no other bot is sent there, with `meeting-full` the room has a place for one participant only.
 */
export class JoinRefusedError extends VoicebotError {
  /**
   * @param type why: rooms reference 9.1 has the words, which those of another provider are to be translated to
   * @param words for people, without the token
   */
  constructor(
    readonly type: string,
    words: string,
  ) {
    super('VB_ROOM_JOIN_FAILED', words, { hint: JOIN_HINTS[type] ?? hintFor(words) });
  }
}

/** The provider's words for a room that is not there any more, for those who come to it and those who are in it (rooms reference 9.1). */
const CLOSED = ['no-room', 'exp-room', 'room-deleted'];

/** The room has removed us, or is gone (`VB_STREAM_CLOSED`): the `error` of the event `left`. */
export class RemovedError extends VoicebotError {
  /** The room is not there any more: no other bot is sent there. */
  readonly isRoomClosed: boolean;

  /**
   * @param why `error`: `no-room`, `exp-room` or `room-deleted` where the room is gone; `info`: for people
   * @param token stays out of the message
   */
  constructor({ error, info }: { readonly error: string; readonly info: string }, token: string) {
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

/**
 * The connection was lost before the provider has answered (`VB_ROOMS_REQUEST_FAILED`): it may have done what it was asked for, or not. A
 * transfer that ends so is not asked for again.
 */
export class RequestLostError extends VoicebotError {
  /** @param method for people: what was asked for */
  constructor(method: string) {
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
