import type { CallDirection, EndReason } from '../../call/call.js';

/** By `HangupCauseCode`, which says most (carrier reference 2.5); every other code of the carrier is a failure of its own. */
const REASONS_BY_CODE: ReadonlyMap<string, EndReason> = new Map([
  ['3000', 'no_answer'],
  ['3010', 'busy'],
  ['3020', 'rejected'],
  ['3110', 'rejected'],
  ['6000', 'limit_reached'],
  ['6010', 'no_answer'],
  ['9100', 'voicemail'],
]);
/** The codes that only say that the call was cancelled, or that one side hung up. */
const NORMAL_CODES = ['1000', '4000'];

/** By `HangupCause`, or by `HangupCauseName` written the same way. */
const REASONS_BY_CAUSE: ReadonlyMap<string, EndReason> = new Map([
  ['USER_BUSY', 'busy'],
  ['BUSY', 'busy'],
  ['BUSY_LINE', 'busy'],
  ['NO_ANSWER', 'no_answer'],
  ['NO_USER_RESPONSE', 'no_answer'],
  ['RING_TIMEOUT', 'no_answer'],
  ['RING_TIMEOUT_REACHED', 'no_answer'],
  ['CALL_REJECTED', 'rejected'],
  ['REJECTED', 'rejected'],
  ['DECLINED', 'rejected'],
  ['MACHINE_DETECTED', 'voicemail'],
  ['UNALLOCATED_NUMBER', 'telephony_error'],
  ['NETWORK_OUT_OF_ORDER', 'telephony_error'],
]);

const REASONS_BY_STATUS: ReadonlyMap<string, EndReason> = new Map([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['timeout', 'no_answer'],
]);

/** A call that did not come about may be our own doing: we cancelled it, or our document turned it away. */
const NOT_CONNECTED: readonly EndReason[] = ['busy', 'no_answer', 'rejected'];

/**
 * Why a call is over, from whatever the carrier told of it: the code first, then the cause, then the status. Our own
 * request or document ends a call as the bot wished; people hang up normally; the rest is the network's.
 * @param parameters of the hang-up webhook
 * @see carrier reference 2.2 and 2.5
 */
export function hangupReasonOf(parameters: ReadonlyMap<string, string>, direction: CallDirection): EndReason {
  const parameter = (name: string) => parameters.get(name) ?? '';
  const source = parameter('HangupSource');
  const named = reasonOfCode(parameter('HangupCauseCode')) ?? reasonOfCause(parameters);
  const isOurs = ['API Request', 'Answer XML'].includes(source);
  if (isOurs && (!named || NOT_CONNECTED.includes(named))) return 'bot_ended';
  if (named) return named;

  const isCancelled = parameter('HangupCause') === 'ORIGINATOR_CANCEL';
  if (isCancelled && direction === 'inbound') return 'caller_hung_up';
  const status = parameter('CallStatus');
  const byStatus = REASONS_BY_STATUS.get(status);
  if (byStatus) return byStatus;
  // The side that began the call took it back: the caller, or we.
  if (isCancelled || status === 'cancel') return direction === 'inbound' ? 'caller_hung_up' : 'bot_ended';
  const isPersons = ['Caller', 'Callee', 'Call recipient'].includes(source);
  const isNormal = parameter('HangupCauseCode') === '4000' || status === 'completed';
  return isPersons || isNormal ? 'caller_hung_up' : 'telephony_error';
}

/** The carrier's codes have four digits; 0 is "unknown", and compatible carriers send numbers of other tables. */
function reasonOfCode(code: string): EndReason | undefined {
  if (!/^\d{4}$/.test(code) || NORMAL_CODES.includes(code)) return undefined;
  return REASONS_BY_CODE.get(code) ?? 'telephony_error';
}

function reasonOfCause(parameters: ReadonlyMap<string, string>): EndReason | undefined {
  return ['HangupCause', 'HangupCauseName']
    .map((name) => (parameters.get(name) ?? '').toUpperCase().replaceAll(/\W+/g, '_'))
    .map((cause) => REASONS_BY_CAUSE.get(cause))
    .find((reason) => reason !== undefined);
}
