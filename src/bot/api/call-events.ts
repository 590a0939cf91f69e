import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { EventNames } from '../../base/names/event-names.js';
import type { EndReason } from '../../call/call.js';
import type { DoNotCallOutcome, DoNotCallWay } from '../../call/do-not-call.js';
import type { TransferOutcome } from '../../call/transfer-outcome.js';
import type { TurnReport } from '../../call/turn-report.js';
import type { VoicemailEvidence } from '../conversation/voicemail-detector.js';
import type { ScreeningStatus } from '../conversation/voicemail-gate.js';

/** What happens in a call. A handler gets what its event is about; one that fails is a warning, and the call goes on. A bot of `defineBot` waits for asynchronous ones, up to 30 s after the end of the call. */
export interface CallEvents {
  /** The caller has pressed a key. */
  dtmf: [data: { readonly digit: DtmfDigit }];
  /** What the caller was understood to say; or what the caller has heard of the bot, and no more of it when `wasInterrupted`. */
  transcript: [data: { readonly speaker: 'caller' | 'bot'; readonly text: string; readonly wasInterrupted: boolean }];
  /** A turn of the bot has been said, or was interrupted. */
  turn: [data: TurnReport];
  /** The caller has spoken over the bot. */
  interrupted: [data: Record<never, never>];
  /** A machine has answered; the message is left next. */
  voicemail: [data: { readonly evidence: VoicemailEvidence }];
  /** A screening assistant has answered (`asked`); then the person has come on, a message can be left, or neither in time. */
  screening: [data: { readonly status: ScreeningStatus }];
  /** What became of a transfer to `to`. */
  transfer: [data: TransferOutcome & { readonly to: string }];
  /** The other party has asked not to be called again: their number is on the do-not-call list, or is withheld, or could not be written down. */
  do_not_call: [data: { readonly how: DoNotCallWay; readonly outcome: DoNotCallOutcome }];
  /** Something failed and the call goes on. Written to standard error when there is no listener. */
  warning: [data: { readonly error: Error; readonly source: string | undefined }];
  /** The call is over. */
  hung_up: [data: { readonly reason: EndReason }];
}

export const CALL_EVENTS: EventNames<CallEvents> = {
  dtmf: true,
  transcript: true,
  turn: true,
  interrupted: true,
  voicemail: true,
  screening: true,
  transfer: true,
  do_not_call: true,
  warning: true,
  hung_up: true,
};
