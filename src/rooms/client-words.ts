/** What the provider's client says of a room and is asked for, in the provider's own words (rooms reference 9 to 11). */

/** A participant as the provider's events show it (rooms reference 9.1). */
export interface WireParticipant {
  readonly session_id: string;
  readonly user_name: string;
  readonly owner: boolean;
  /** `unknown` for somebody with a client of their own. */
  readonly participantType:
    | 'pstn-dial-in'
    | 'pstn-dial-out'
    | 'sip-dial-in'
    | 'sip-dial-out'
    | 'remote-media-player'
    | 'unknown';
}

/** What call control asks for; the parameters are those of the provider's client (rooms reference 11). */
export type RoomMethod = 'startDialOut' | 'stopDialOut' | 'sendDTMF' | 'sipCallTransfer' | 'sipRefer' | 'eject';

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

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for anything but text, and for none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const readError = ({ error, info }: Fields): WireError => ({
  error: textOf(error) ?? '',
  info: textOf(info) ?? '',
});

export const isWireParticipant = (value: unknown): value is WireParticipant =>
  isFields(value) && textOf(value.session_id) !== undefined;
