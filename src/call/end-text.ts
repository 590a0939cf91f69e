import type { CallDirection, EndReason } from './call.js';
import type { CallRecord } from './call-record.js';
import type { CampaignOutcome } from './campaign-progress.js';

/** Why calls end, in the one sentence that the terminal, the page, the record, the lab and campaigns have for it. */
const WORDS: Readonly<Record<EndReason, string>> = {
  caller_hung_up: 'the caller hung up',
  bot_ended: 'the bot hung up',
  transferred: 'the bot transferred the caller',
  transfer_failed: 'the caller was being transferred, and the destination was not reached',
  transfer_unknown: 'the caller was being transferred, and the room provider did not say what became of it',
  no_answer: 'the callee did not answer',
  busy: 'the line was busy',
  rejected: 'the call was declined',
  voicemail: 'a machine answered',
  screened: 'a screening assistant answered, and the person did not come on',
  bot_crashed: 'every bot of this call failed',
  bot_timeout: 'no bot of this call responded',
  no_bot: 'no bot could be loaded',
  not_connected: 'the bot joined its room and never connected the call',
  provider_error: 'a speech or model service of the bot failed',
  telephony_error: 'the carrier or the room provider could not complete the call',
  room_closed: 'the room of the call was deleted, or has expired',
  audio_unreadable: 'the stream of the call, or a sound file of the bot, could not be read',
  limit_reached: 'a limit was reached',
  runner_stopped: 'the runner was stopped',
  tunnel_lost: 'the tunnel was down for too long',
  turned_away: 'the caller was told that the line was busy',
};

/** A bot, a service or a provider has failed under the call: the runner has printed more about it. */
export const FAILURES: readonly EndReason[] = [
  'bot_crashed',
  'bot_timeout',
  'no_bot',
  'not_connected',
  'provider_error',
  'telephony_error',
  'room_closed',
  'audio_unreadable',
];
/** Where to find out more about one of {@link FAILURES}. */
export const whereToLook = (callId: string): string =>
  `Look at what the runner printed about this call, or at what it knows of it: npx voicebot calls ${callId}`;

/** Why a call ended, as a sentence for people, without a capital and a full stop. A word of another version is shown as it is. */
export function endWords(endReason: EndReason, direction: CallDirection = 'inbound'): string {
  const isDialled = direction === 'outbound';
  if (isDialled && endReason === 'caller_hung_up') return 'the person called hung up';
  if (isDialled && endReason === 'transferred') return 'the bot transferred the person called';
  return WORDS[endReason] ?? String(endReason).replaceAll('_', ' ');
}

/** How a call is doing, for people: its state, or why it ended. */
export const stateWords = ({
  state,
  endReason,
  direction,
}: Pick<CallRecord, 'state' | 'endReason' | 'direction'>): string =>
  state === 'ended' && endReason ? endWords(endReason, direction) : state.replaceAll('_', ' ');

/** What came of a row of a campaign, as a sentence for people. */
export function outcomeWords(outcome: string): string {
  const known = outcome as CampaignOutcome;
  if (known === 'failed') return 'the request to dial was refused';
  if (known === 'do_not_call') return 'the number is on the do-not-call list';
  if (known === 'uncertain') return 'it is not known whether the phone rang';
  return endWords(known, 'outbound');
}
