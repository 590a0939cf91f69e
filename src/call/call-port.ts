import type { BotEndReason } from './call.js';
import type { RoomsDialinSettings } from './rooms-dialin-request.js';
import type { AcceptedTransferOutcome } from './transfer-outcome.js';

/** Exactly one of the two: an E.164 number or a `sip:` address. */
export type DialTarget =
  | { readonly phoneNumber: string; readonly sipUri?: never }
  | { readonly sipUri: string; readonly phoneNumber?: never };

/** Whom to call, and as whom: a name that others in the room see, and one of the provider's own numbers. */
export type OutboundCall = DialTarget & { readonly displayName?: string; readonly callerId?: string };

/**
 * What a bot's transport asks of its call; each port tells its own events. For a media stream the runner carries it out and the
 * carrier's API, in a room the bot's own connection to the room: the transport need not know which.
 */
export interface CallPort {
  /**
   * Calls the callee; absent where the runner dials. Resolves when the provider has taken the call.
   * @throws VoicebotError
   */
  dial?(call: OutboundCall): Promise<{ readonly sessionId: string }>;
  /** Fetches the caller whom the provider holds, as soon as it can; absent where no caller is held. */
  forward?(caller: RoomsDialinSettings): void;
  /**
   * Connects the caller with the destination. While the same is going on already, that is joined.
   * @param to E.164, or a `sip:` address where the provider takes one
   * @param announce called when nothing speaks against the transfer yet; resolves when the caller has heard what was said
   * @throws VoicebotError when it is refused; the call is as it was then
   */
  transfer(to: string, announce: () => Promise<void>): Promise<AcceptedTransferOutcome>;
  /**
   * Ends the call, unless the bot has lost it by now: to a destination, another bot or the carrier. Never rejects, safe to call twice.
   * @param reason what the call's record says, when the bot has ended the call in order
   */
  hangUp(reason?: BotEndReason): Promise<void>;
  /** The bot waits for nothing any more, and no leg is hung up: the pipeline is over. */
  released(): void | Promise<void>;
}
