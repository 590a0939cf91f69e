import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { OutboundCall } from '../../call/call-port.js';
import type { RoomReception } from './reception.js';

/** How a participant is in a room: with a client of its own, or on a telephone. */
export type RoomParticipantKind = 'web' | 'dial-in' | 'dial-out';

/** A participant of a room. */
export interface RoomParticipant {
  /** The session id, which every event about this participant carries. */
  readonly sessionId: string;
  readonly userName: string;
  readonly isOwner: boolean;
  readonly kind: RoomParticipantKind;
  /** What its token, or the request that dialled it, calls it; missing where it has none of its own. */
  readonly userId?: string;
}

/** A call out of a room, and what the provider's room has of it. */
export type RoomDialout = OutboundCall & {
  /** What the leg is called, 36 characters at most. */
  readonly userId?: string;
  /** Whom it hears from its first moment on. Default: everybody. */
  readonly reception?: RoomReception;
};

/** One leg of a telephone call into the room. */
export interface DialinData {
  readonly sessionId: string;
  readonly sipFrom?: string;
  readonly sipEndpoint?: string;
  readonly sipHeaders?: Readonly<Record<string, string>>;
}

/** One leg of a telephone call out of the room, or out of one of its callers by a transfer. */
export interface DialoutData {
  readonly sessionId: string;
  /** The number or `sip:` address that was dialled. */
  readonly destination?: string;
  readonly callerId?: string;
}

/** What went wrong with a leg. `errorMsg` is the provider's own text. */
export interface LegProblem {
  readonly sessionId?: string;
  readonly errorMsg: string;
}

/** What the provider's transcription is to understand. */
export interface RoomTranscriptionOptions {
  /** Language code, such as `en` or `de`. Default: the provider's, English. */
  readonly language?: string | undefined;
  /** Which model listens, such as `nova-3-general`. Default `nova-2-general`. */
  readonly model?: string | undefined;
  /** Silence that ends an utterance, in milliseconds, 10 to 10000; false for never. Default 300. */
  readonly endpointingMs?: number | false | undefined;
  /** Whether words are told while they may still change. Default true. */
  readonly interim?: boolean | undefined;
  /** Whether the words come with punctuation, by which the end of a turn is recognised. Default true. */
  readonly punctuate?: boolean | undefined;
  /** More parameters of the provider's speech to text, such as `{ keyterm: ['Zugspitze'] }`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Words that the provider's transcription has understood. */
export interface TranscriptionMessage {
  /** Of the participant who has said them. */
  readonly sessionId: string;
  readonly text: string;
  /** They will not change any more. */
  readonly isFinal: boolean;
  /** The provider has heard the participant stop. */
  readonly endsUtterance: boolean;
  readonly instanceId?: string;
}

/** What the provider's transcription tells. @see rooms reference 9.1 */
export interface TranscriptionEvents {
  /** It listens. `startedBy`: session id of the participant who has asked for it. */
  transcription_started: [data: { readonly instanceId?: string; readonly startedBy?: string }];
  transcription_message: [data: TranscriptionMessage];
  transcription_stopped: [data: { readonly instanceId?: string }];
  /** It could not start, or listens no more. `errorMsg` is the provider's own text. */
  transcription_error: [data: { readonly instanceId?: string; readonly errorMsg: string }];
}

/**
 * What happens in a room, in the provider's order, with the provider's payloads.
 * @see rooms reference 9.1
 */
export interface RoomEvents extends TranscriptionEvents {
  participant_joined: [participant: RoomParticipant];
  participant_left: [participant: RoomParticipant];
  /** A SIP endpoint of the room can take a call; once per endpoint, and again when it had to be set up again. */
  dialin_ready: [data: { readonly sipEndpoint: string }];
  /** Signalling only: nothing can be heard before the participant joins. */
  dialin_connected: [data: DialinData];
  dialin_stopped: [data: DialinData];
  dialin_warning: [data: LegProblem];
  /** `type` is `start-failed` when the endpoint could not be set up: `dialin_ready` will not come. */
  dialin_error: [data: LegProblem & { readonly type?: 'start-failed' }];
  /** It rings. */
  dialout_connected: [data: DialoutData];
  /** A person or a machine has picked up. */
  dialout_answered: [data: DialoutData];
  dialout_stopped: [data: DialoutData];
  dialout_warning: [data: LegProblem];
  dialout_error: [data: LegProblem];
  /**
   * Our connection was lost, and there is another one: no event tells what happened in between. Who has gone and who has come is told
   * next; {@link RoomConnection.participants} are those who are there now. Connections that are not replaced never tell it.
   */
  rejoined: [];
  dtmf: [data: { readonly digit: DtmfDigit; readonly sessionId?: string }];
  /** We are in the room no more; the last event. `error` is missing when we left. */
  left: [data: { readonly error?: Error }];
}

/** Which room to join, and as whom. */
export interface JoinOptions {
  readonly roomUrl: string;
  readonly token: string;
  /** What others see. */
  readonly userName: string;
  /** 8000 or 16 000 Hz: what the audio in both directions is. */
  readonly sampleRate: number;
  /** How long joining may take, in milliseconds. */
  readonly limitMs: number;
  /** Gives up joining; afterwards it means nothing. */
  readonly signal?: AbortSignal;
}

/**
 * A participant's presence in a media room, whatever carries it. Events that come before a listener is there are kept until
 * {@link RoomConnection.start} is called.
 *
 * Call control needs a token of an owner. Its promises settle with the provider's first answer: resolved means accepted,
 * and what becomes of it is told by events.
 */
export interface RoomConnection {
  /** Our own session id. */
  readonly sessionId: string;
  /** How often our connection was lost, and with it what had just been said. Missing where one that is lost is not replaced. */
  readonly breaks?: number;
  /** It is lost, and there is no other one yet: what is said nobody hears. */
  readonly isBroken?: boolean;
  /** The others, by session id. */
  readonly participants: ReadonlyMap<string, RoomParticipant>;
  /** Has a listener told of an event. */
  on<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): unknown;
  /** Takes a listener back. */
  off<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): unknown;
  /**
   * Begins to deliver events, and to call `heard` every 20 ms with what the others say: 20 ms of mono PCM at the sample
   * rate, silence included. The array is the listener's to keep.
   */
  start(heard: (pcm: Int16Array) => void): void;
  /** Says 20 ms of mono PCM at the sample rate. The code that calls it keeps the time. Silence need not be said. */
  say(pcm: Int16Array): void;
  /**
   * Only these participants are heard from now on, such as the caller alone; `undefined`: everybody, as at first.
   * @returns false where the room gives one stream of all, which cannot be taken apart: nothing changes then
   */
  hearOnly?(sessionIds: readonly string[] | undefined): boolean;
  /** Calls a number or a SIP address out of the room. @throws VoicebotError VB_ROOMS_REQUEST_FAILED */
  startDialout(call: RoomDialout): Promise<{ readonly sessionId: string }>;
  /**
   * Says whom participants hear from now on, by their session ids. Resolves when the room has told that it is so. Missing where a connection
   * cannot: out of such a room no number is dialled beside a call.
   * @throws VoicebotError VB_ROOMS_REQUEST_FAILED, also when the room does not tell it in time: it may be so, or not
   */
  updatePermissions?(receptions: Readonly<Record<string, RoomReception>>): Promise<void>;
  /** Hangs up a call out of the room. */
  stopDialout(leg: { readonly sessionId: string }): Promise<void>;
  /** Presses keys on a call of the room. @param keys `tones`: 1 to 20 of `0-9 A-D * #` */
  sendDtmf(keys: { readonly sessionId: string; readonly tones: string }): Promise<void>;
  /** Has the provider connect a call of the room with a destination. @param transfer `toEndPoint`: an E.164 number or a `sip:` address */
  sipCallTransfer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void>;
  /** Sends a call of the room to another SIP address. @param transfer `toEndPoint`: a `sip:` address */
  sipRefer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void>;
  /**
   * Has the provider transcribe what is said. That it was asked is all that resolving means: `transcription_started` or `transcription_error`
   * follows. Missing where a connection cannot.
   * @param options `instanceId`: names this transcription in all that is told of it
   */
  startTranscription?(options: RoomTranscriptionOptions & { readonly instanceId: string }): Promise<void>;
  /** Has only these participants transcribed from now on. */
  updateTranscription?(change: {
    readonly instanceId: string;
    readonly participants: readonly string[];
  }): Promise<void>;
  /** Ends one transcription; the room goes on with others. */
  stopTranscription?(which: { readonly instanceId: string }): Promise<void>;
  /** Removes participants; unknown ones are ignored. */
  eject(sessionIds: readonly string[]): Promise<void>;
  /** Leaves the room; resolves when we are out of it. Safe to call twice. */
  leave(): Promise<void>;
}

/**
 * Joins a room.
 * @throws VoicebotError VB_ROOM_JOIN_FAILED when the room refuses us or cannot be reached within the limit
 */
export type JoinRoom = (options: JoinOptions) => Promise<RoomConnection>;
