import type { ErrorCode, VoicebotError } from '../base/errors.js';

/** Who has answered a call that goes out, or the destination of a transfer: the same with a carrier and in a room. */
export interface DialoutAnsweredData {
  /** The number, E.164, or the `sip:` address that was dialled; empty when the bot has not dialled it itself. */
  readonly toEndPoint: string;
  /** The leg that was answered, by the room's or the carrier's name for it; undefined where the provider does not give it. */
  readonly sessionId: string | undefined;
}

/** Why a transfer came to nothing while the caller is still there. */
export type TransferFailure = 'busy' | 'no_answer' | 'rejected' | 'failed';

/**
 * Why a warm transfer came to nothing, beside the reasons of a cold one: a machine has answered; the destination has not taken the call; it has hung
 * up while it was briefed.
 */
export type WarmTransferFailure = TransferFailure | 'voicemail' | 'declined' | 'hung_up';

/** What became of a transfer that was not refused. */
export type AcceptedTransferOutcome =
  /** The caller talks to the destination; the bot has nothing more to do. */
  | { readonly status: 'answered'; readonly data: DialoutAnsweredData }
  /** The destination was not reached. `detail` is for logs. */
  | { readonly status: TransferFailure; readonly detail: string }
  /**
   * The call ended first, whichever side ended it. With `destination` the provider had taken the caller out of the bot's reach for the transfer:
   * why the destination was not reached, or `unknown` where the provider did not say what became of it; the two may be talking.
   */
  | { readonly status: 'caller_left'; readonly destination?: TransferFailure | 'unknown' };

/** What became of a transfer. `voicemail`, `declined` and `hung_up` are of a warm one. */
export type TransferOutcome =
  | AcceptedTransferOutcome
  | { readonly status: Exclude<WarmTransferFailure, TransferFailure>; readonly detail: string }
  /** It was refused before anybody was called, with `error`: the call is as it was. A transport throws the error instead. */
  | { readonly status: 'refused'; readonly detail: string; readonly code: ErrorCode; readonly error: Error };

/** The destination was not reached, and the caller is still there. */
export type FailedTransferOutcome = Extract<AcceptedTransferOutcome, { status: TransferFailure }>;

/** The caller left before the destination answered. */
export type LeftTransferOutcome = Extract<AcceptedTransferOutcome, { status: 'caller_left' }>;

/** A transfer that an earlier bot of the call had asked for, and that came to nothing. */
export interface FailedTransfer extends FailedTransferOutcome {
  /** E.164, or a `sip:` address. */
  readonly toEndPoint: string;
}

/** The same of a warm transfer. */
export interface FailedWarmTransfer {
  readonly status: WarmTransferFailure;
  /** For logs. */
  readonly detail: string;
  /** E.164, or a `sip:` address. */
  readonly toEndPoint: string;
}

/**
 * What a transport has thrown, as an outcome.
 * @returns `refused`, or `caller_left` when there was no caller to be transferred any more
 */
export function transferRefusal(thrown: unknown): TransferOutcome {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code } = error as Partial<VoicebotError>; // the bot file may import another copy of this package
  if (code === 'VB_STREAM_CLOSED') return { status: 'caller_left' };
  const isOurs = typeof code === 'string' && code.startsWith('VB_');
  return { status: 'refused', detail: error.message, code: isOurs ? code : 'VB_TRANSFER_FAILED', error };
}
