import type { CallDirection, EndReason } from '../../call/call.js';

/** By `HangupCause`, as the carrier writes it or as its network did; what is not here says no more than the status. */
const REASONS_BY_CAUSE: ReadonlyMap<string, EndReason> = new Map([
  ['user_busy', 'busy'],
  ['busy', 'busy'],
  ['timeout', 'no_answer'],
  ['no_answer', 'no_answer'],
  ['no_user_response', 'no_answer'],
  ['call_rejected', 'rejected'],
  ['time_limit', 'limit_reached'],
  ['not_found', 'telephony_error'],
  ['unallocated_number', 'telephony_error'],
  ['invalid_number_format', 'telephony_error'],
]);

const REASONS_BY_STATUS: ReadonlyMap<string, EndReason> = new Map([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'telephony_error'],
]);

/** Who of the two we are: the carrier names the sides of a leg, not the parties. */
const OUR_SIDE: Readonly<Record<CallDirection, string>> = { inbound: 'callee', outbound: 'caller' };

/**
 * Why a call is over: the cause where it says something, then the status, then whose side ended it. Of a call whose
 * direction is not told, only we can have cancelled it, since incoming ones are answered at once; whose side is ours is
 * not known then.
 * @param parameters of the webhook that tells that it is over
 * @see carrier reference 7.2
 */
export function hangupReasonOf(
  parameters: ReadonlyMap<string, string>,
  direction: CallDirection | undefined,
): EndReason {
  const named = REASONS_BY_CAUSE.get((parameters.get('HangupCause') ?? '').toLowerCase());
  if (named) return named;
  const status = parameters.get('CallStatus') ?? '';
  const byStatus = REASONS_BY_STATUS.get(status);
  if (byStatus) return byStatus;
  // The side that began the call took it back: the caller, or we.
  if (status === 'canceled') return direction === 'inbound' ? 'caller_hung_up' : 'bot_ended';
  return direction && parameters.get('HangupSource') === OUR_SIDE[direction] ? 'bot_ended' : 'caller_hung_up';
}
