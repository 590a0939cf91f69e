import type { WebSocket } from 'ws';
import type { BotEndReason } from './call.js';

/** Why a transfer came to nothing while the caller is still there. */
export type TransferFailure = 'busy' | 'no_answer' | 'rejected' | 'failed';

/** A transfer that an earlier bot of the call had asked for, and that came to nothing. */
export interface FailedTransfer {
  /** E.164. */
  readonly toEndPoint: string;
  readonly status: TransferFailure;
  /** For logs. */
  readonly detail: string;
}

/** How a transfer that the carrier has accepted went on, as the runner learns it. */
export type LinkedOutcome =
  /** The destination has answered and talks to the caller. `legId` is the carrier's identifier of its call. */
  | { readonly status: 'answered'; readonly to: string; readonly legId: string | undefined }
  /** The caller is back, on a media stream of its own that nobody has read from. */
  | { readonly status: TransferFailure; readonly detail: string; readonly websocket: WebSocket }
  | { readonly status: 'caller_left' };

/** What a runner can do for the call of one media stream that the stream itself cannot. */
export interface CallLink {
  /** Why the caller is with this bot; absent when no other bot had it transferred. */
  readonly failedTransfer?: FailedTransfer | undefined;
  /**
   * Makes the carrier dial `to` (E.164) as soon as the media stream is closed. Resolves when the carrier has accepted:
   * close the stream then, and wait for the outcome.
   * @throws VoicebotError when the transfer is refused; nothing has changed then
   */
  transfer(to: string): Promise<{ readonly outcome: Promise<LinkedOutcome> }>;
  /**
   * The bot ends the call in order: the caller has been told what there is to tell, and no other bot takes over. Call it
   * before the stream is closed and before the carrier is asked to hang up.
   */
  endsFor(reason: BotEndReason): void;
}

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const CALL_LINK = Symbol.for('voicebot.callLink');

/** Connects a media stream with the runner that let it in. */
export function linkCall(websocket: WebSocket, link: CallLink): void {
  Object.defineProperty(websocket, CALL_LINK, { value: link });
}

/** Undefined for a stream that no runner let in. */
export function callLinkOf(websocket: WebSocket): CallLink | undefined {
  return (websocket as { [CALL_LINK]?: CallLink })[CALL_LINK];
}
