import type { WebSocket } from 'ws';
import type { BotEndReason } from './call.js';
import type { AcceptedTransferOutcome, FailedTransfer } from './transfer-outcome.js';

/** How a transfer that the carrier has accepted went on: with `websocket` the caller is back, on a media stream that nobody has read from. */
export type LinkedOutcome = AcceptedTransferOutcome & { readonly websocket?: WebSocket };

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
