import type { CallDirection, EndReason } from '../../call/call.js';

/** By `SipResponseCode`, the network's own answer to the attempt (RFC 3261 section 21, RFC 8197, RFC 8688). */
const REASONS_BY_SIP: ReadonlyMap<string, EndReason> = new Map([
  ['408', 'no_answer'],
  ['480', 'no_answer'],
  ['486', 'busy'],
  ['600', 'busy'],
  ['603', 'rejected'],
  ['607', 'rejected'],
  ['608', 'rejected'],
]);

/** Of calls that never came about. */
const REASONS_BY_STATUS: ReadonlyMap<string, EndReason> = new Map([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'telephony_error'],
]);

/** Statuses of a call that is over. */
export const FINAL_STATUSES: readonly string[] = ['completed', 'canceled', ...REASONS_BY_STATUS.keys()];

export const reasonOfSip = (code: string | undefined): EndReason | undefined => REASONS_BY_SIP.get(code ?? '');

/**
 * Why a call is over. The carrier does not say who hung up a call that was connected: as far as it tells, the person.
 * @param parameters of the status callback
 */
export function hangupReasonOf(parameters: ReadonlyMap<string, string>, direction: CallDirection): EndReason {
  const status = parameters.get('CallStatus') ?? '';
  if (status === 'completed') return parameters.get('ErrorCode') ? 'telephony_error' : 'caller_hung_up';
  if (direction === 'inbound') {
    // Only our document makes a caller's line busy; a caller who is gone before the answer has hung up.
    if (status === 'busy') return 'bot_ended';
    return status === 'failed' ? 'telephony_error' : 'caller_hung_up';
  }
  if (status === 'canceled') return 'bot_ended';
  return reasonOfSip(parameters.get('SipResponseCode')) ?? REASONS_BY_STATUS.get(status) ?? 'telephony_error';
}

/** The carrier's own words. */
export function causeOf(parameters: ReadonlyMap<string, string>): string {
  const sipCode = parameters.get('SipResponseCode');
  const errorCode = parameters.get('ErrorCode');
  const more = [...(sipCode ? [`SIP ${sipCode}`] : []), ...(errorCode ? [`error ${errorCode}`] : [])];
  const status = parameters.get('CallStatus') || 'unknown';
  return more.length > 0 ? `${status} (${more.join(', ')})` : status;
}
