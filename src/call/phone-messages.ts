/** What a phone and the phone network say to each other. */
import type { DtmfDigit } from '../base/audio/dtmf-digit.js';
import type { NotedNumber } from './phone-number.js';

/** One hop of a call, told to the phone as it happens, so that a person sees which hop failed. */
export interface PhoneProgress {
  readonly hop:
    | 'answer'
    | 'document'
    | 'stream'
    | 'redirect'
    | 'transfer'
    | 'action'
    | 'play'
    | 'speak'
    | 'wait'
    | 'dial'
    | 'dtmf'
    | 'webhook'
    | 'hold'
    | 'forward'
    | 'hangup';
  /** False when this hop failed or something about it is wrong. */
  readonly ok: boolean;
  /** One line for a person. */
  readonly text: string;
  readonly url?: string;
  /** HTTP status, or close code of a stream. */
  readonly status?: number;
  /** How long the hop took, in milliseconds. */
  readonly ms?: number;
}

export interface PhoneCallEnd {
  readonly callId: string;
  /** The carrier's words, such as `Normal Hangup` or `Error Reaching Answer URL`. */
  readonly cause: string;
  /** The carrier's number for the cause; 4000 is a normal end. */
  readonly code: number;
  /** Who ended it: `Caller`, `Callee`, `API Request`, `Answer XML`, `Plivo`, `Room`, `Error`. */
  readonly source: string;
  /** From answer to end; 0 when never answered. */
  readonly durationMs: number;
}

/** How ringing at a called phone ends, when neither the caller nor the ring time ends it before. */
export type RingOutcome = 'answered' | 'busy' | 'declined' | 'no_answer' | 'failed';

/** How a phone acts when its number is called. */
export interface PhoneAttendance {
  /** E.164. */
  readonly number: string;
  readonly outcome: RingOutcome;
  /** How long it rings before the outcome, in milliseconds of call time. */
  readonly ringMs: number;
  /** Whether a machine answers, as the carrier's detection will find out. */
  readonly isMachine: boolean;
}

/** A message of the network to a phone. */
export type PhoneNotice =
  /** The next call to the number that was asked for rings this phone. */
  | { readonly type: 'attending' }
  | { readonly type: 'ringing'; readonly callId: string }
  | { readonly type: 'answered' }
  | { readonly type: 'progress'; readonly line: PhoneProgress }
  | { readonly type: 'ended'; readonly end: PhoneCallEnd };

/** A request of a phone to the network. */
export type PhoneRequest =
  | { readonly type: 'dial'; readonly from: string; readonly to: string }
  | ({ readonly type: 'attend' } & PhoneAttendance)
  | { readonly type: 'press'; readonly digit: DtmfDigit }
  /** The words of what it has just said: for whatever plays ears in the network, which recognises no speech. */
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'hangup' };

/** Longest text of a phone's words, in characters. */
export const MAX_PHONE_WORDS = 1_000;

/** What `GET /phone/numbers` answers. */
export interface PhoneNumbers {
  /** The bot's own; null when it is not known. */
  readonly number: string | null;
  /** To ring as. */
  readonly callers: readonly NotedNumber[];
  /** To ring at. */
  readonly numbers: readonly NotedNumber[];
  /** For the bot to call. */
  readonly callees: readonly NotedNumber[];
}
