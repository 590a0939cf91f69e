import type { EventNames } from '../../../base/names/event-names.js';
import type { DialoutAnsweredData, FailedTransfer } from '../../../call/transfer-outcome.js';
import type { RoomEvents, RoomParticipant } from '../../../providers/rooms/room-connection.js';

/** What the handlers of a room transport's events are told. What is not said here is as the provider tells it. */
export interface RoomsEventData {
  /** The bot is in the room; `participants` are those who were there before. */
  joined: { readonly sessionId: string; readonly participants: readonly RoomParticipant[] };
  /** A participant besides the bot is in the room, for the first time; also one that was there before the bot. */
  first_participant_joined: RoomParticipant;
  participant_joined: RoomParticipant;
  participant_left: RoomParticipant;
  /** The room can take a telephone call. A held caller is fetched without any doing of the handler's. */
  dialin_ready: RoomEvents['dialin_ready'][0];
  /** Signalling only: nothing can be heard before `participant_joined`. */
  dialin_connected: RoomEvents['dialin_connected'][0];
  dialin_stopped: RoomEvents['dialin_stopped'][0];
  dialin_warning: RoomEvents['dialin_warning'][0];
  /** From the provider, or because the held caller could not be fetched. */
  dialin_error: RoomEvents['dialin_error'][0];
  /** It rings. */
  dialout_connected: RoomEvents['dialout_connected'][0];
  /** A callee, or the destination of a transfer, has answered. */
  dialout_answered: DialoutAnsweredData;
  dialout_stopped: RoomEvents['dialout_stopped'][0];
  dialout_warning: RoomEvents['dialout_warning'][0];
  /** From the provider, or because the callee has not answered for too long. */
  dialout_error: RoomEvents['dialout_error'][0];
  /**
   * A transfer that an earlier bot of this call had asked for came to nothing: the caller, who heard it ring, hears this bot
   * from now on.
   */
  transfer_failed: FailedTransfer;
  dtmf: RoomEvents['dtmf'][0];
  /** The provider's transcription listens. */
  transcription_started: RoomEvents['transcription_started'][0];
  /** What it has understood, of every participant that it listens to, the bot among them. */
  transcription_message: RoomEvents['transcription_message'][0];
  transcription_stopped: RoomEvents['transcription_stopped'][0];
  /** It could not start, or listens no more. */
  transcription_error: RoomEvents['transcription_error'][0];
  /** The bot is in the room no more. `error` is missing when it left by itself. */
  left: RoomEvents['left'][0];
  /** The room could not be joined, or was lost; the pipeline fails with the same error. */
  error: { readonly error: Error };
}

export const ROOMS_EVENTS: EventNames<RoomsEventData> = {
  joined: true,
  first_participant_joined: true,
  participant_joined: true,
  participant_left: true,
  dialin_ready: true,
  dialin_connected: true,
  dialin_stopped: true,
  dialin_warning: true,
  dialin_error: true,
  dialout_connected: true,
  dialout_answered: true,
  dialout_stopped: true,
  dialout_warning: true,
  dialout_error: true,
  transfer_failed: true,
  dtmf: true,
  transcription_started: true,
  transcription_message: true,
  transcription_stopped: true,
  transcription_error: true,
  left: true,
  error: true,
};

/** Tells the handlers. Never throws. */
export type Announce = <Name extends keyof RoomsEventData>(name: Name, data: RoomsEventData[Name]) => void;
