/** What a phone and the phone network say to each other. */
import type { DtmfDigit } from '../audio/dtmf-digit.js';

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

/** A message of the network to a phone about its call. */
export type PhoneNotice =
  | { readonly type: 'ringing'; readonly callId: string }
  | { readonly type: 'answered' }
  | { readonly type: 'progress'; readonly line: PhoneProgress }
  | { readonly type: 'ended'; readonly end: PhoneCallEnd };

/** A request of a phone to the network. */
export type PhoneRequest =
  | { readonly type: 'dial'; readonly from: string; readonly to: string }
  | { readonly type: 'press'; readonly digit: DtmfDigit }
  | { readonly type: 'hangup' };
