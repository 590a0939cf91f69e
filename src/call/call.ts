/**
 * `dialling -> ringing -> starting -> connected -> transferring -> ended`; only a dialled call begins with `dialling`.
 * From `transferring` a call may come back to `starting`; any state may go straight to `ended`, which is final.
 */
export type CallState = 'dialling' | 'ringing' | 'starting' | 'connected' | 'transferring' | 'ended';

/** Why a call is over: one vocabulary for logs, events, JSON and docs. */
export const END_REASONS = [
  'caller_hung_up',
  'bot_ended',
  'transferred',
  'transfer_failed',
  'transfer_unknown',
  'no_answer',
  'busy',
  'rejected',
  'voicemail',
  'screened',
  'no_bot',
  'bot_crashed',
  'bot_timeout',
  'not_connected',
  'provider_error',
  'telephony_error',
  'room_closed',
  'audio_unreadable',
  'limit_reached',
  'runner_stopped',
  'tunnel_lost',
  'turned_away',
] as const;
/**
 * One of these words.
 * @useDeclaredType
 */
export type EndReason = (typeof END_REASONS)[number];

/** Why a bot ends its call, as far as it may say so. */
export type BotEndReason = Extract<
  EndReason,
  'bot_ended' | 'provider_error' | 'voicemail' | 'screened' | 'transferred'
>;

/** No call lasts longer than this at a carrier, in milliseconds (carrier reference 1.8). */
export const LONGEST_CALL_MS = 24 * 60 * 60 * 1_000;

/** Whether the call came to the bot, or was dialled for it. */
export type CallDirection = 'inbound' | 'outbound';

/** What a bot is told about the call it serves. */
export interface CallInfo {
  /** The runner's identifier of the call, as in `voicebot calls`; for an inbound call it is the provider's own. */
  readonly id: string;
  readonly direction: CallDirection;
  /** E.164 where the provider gave a telephone number, otherwise as received (a `sip:` address); undefined where it is withheld. */
  readonly from: string | undefined;
  /** The caller's number is withheld or not known: `from` is undefined. Never of a dialled call. */
  readonly isWithheld: boolean;
  readonly to: string;
  /** 1 for the first bot of this call; 2 and 3 when an earlier one crashed or hung and this one takes over. */
  readonly attempt: number;
  /** How often the caller was cut off from a bot by a lost tunnel and brought back to another; absent when never. */
  readonly reconnects?: number;
  /** The call whose bot has dialled this one beside it; absent in all others. */
  readonly linkedTo?: string | undefined;
}
