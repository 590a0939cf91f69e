/** What the provider's client says of a room and is asked for, in the provider's own words (rooms reference 9 to 11). */
import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';

/** A participant as the provider's events show it (rooms reference 9.1). */
export interface WireParticipant {
  readonly session_id: string;
  readonly user_name: string;
  readonly owner: boolean;
  /** `unknown` for a participant with a client of its own. */
  readonly participantType:
    | 'pstn-dial-in'
    | 'pstn-dial-out'
    | 'sip-dial-in'
    | 'sip-dial-out'
    | 'remote-media-player'
    | 'unknown';
  /** From the token, or from the request that dialled. Without one the provider shows the session id. */
  readonly user_id?: string;
  readonly permissions?: object;
}

/**
 * What call control asks for; the parameters are those of the provider's client (rooms reference 11), and those of `updatePermissions` the body
 * of the provider's request of that name (rooms reference 6.2).
 */
export type CallControlMethod =
  | 'startDialOut'
  | 'stopDialOut'
  | 'sendDTMF'
  | 'sipCallTransfer'
  | 'sipRefer'
  | 'eject'
  | 'updatePermissions';

/** What transcription asks for: the answer is always empty, and events tell what becomes of it (rooms reference 8.3). */
export type TranscriptionMethod = 'startTranscription' | 'updateTranscription' | 'stopTranscription';

export type RoomMethod = CallControlMethod | TranscriptionMethod;

/** The provider's form of an error (rooms reference 1.1). */
export interface WireError {
  readonly error: string;
  readonly info: string;
}

/** An event of the provider's client: `action` is its name, such as `dialin-ready` (rooms reference 9.1). */
export interface WireEvent {
  readonly action: string;
  readonly [field: string]: unknown;
}

export const readError = ({ error, info }: JsonFields): WireError => ({
  error: textOf(error) ?? '',
  info: textOf(info) ?? '',
});

export const isWireParticipant = (value: unknown): value is WireParticipant =>
  isFields(value) && textOf(value.session_id) !== undefined;
