import { END_STATUSES, liveStatus } from '../carrier/call-statuses.js';
import type { CallEnding, PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES, type HangupCause } from '../network/hangup-causes.js';

/** `CallStatus` of a call: one that was answered is `completed`, however it ended. */
export function callStatus(call: PhoneCall): string {
  const { end, answeredAt } = call;
  if (end) return answeredAt ? 'completed' : unansweredStatus(end.cause);
  return liveStatus(call);
}

/** The status of a call that was not answered, or of the one that a `<Dial>` was left with. */
export function unansweredStatus(cause: HangupCause): string {
  if (cause === HANGUP_CAUSES.normal) return 'canceled';
  // The document's `<Reject>`; a line that it calls busy is.
  return cause === HANGUP_CAUSES.rejected ? 'no-answer' : END_STATUSES[cause.status];
}

/** What the called network answered, a status of SIP (RFC 3261 section 21), by the telephone network's cause (RFC 3398 section 7.2.4.1). */
const SIP_CODES: ReadonlyMap<string, string> = new Map([
  ['UNALLOCATED_NUMBER', '404'],
  ['USER_BUSY', '486'],
  ['NO_ANSWER', '480'],
  ['CALL_REJECTED', '603'],
  ['ORIGINATOR_CANCEL', '487'],
  ['LOSE_RACE', '487'],
  ['NORMAL_TEMPORARY_FAILURE', '503'],
]);

/** @param isAnswered whether the dialled phone was picked up */
export function sipCode(cause: HangupCause, isAnswered: boolean): string {
  if (isAnswered) return '200';
  // The carrier itself gives up then.
  if (cause === HANGUP_CAUSES.ringTimeout) return '487';
  return SIP_CODES.get(cause.cause) ?? '500';
}

const UNREACHABLE = '11200';
const INVALID_DOCUMENT = '12100';

/** The carrier's error, where the application's answers ended the call. */
export function errorCode({ cause, source }: CallEnding): string | undefined {
  if (source !== 'Error') return undefined;
  return cause.name.startsWith('Invalid') ? INVALID_DOCUMENT : UNREACHABLE;
}

/** `Mon, 15 Aug 2005 15:52:01 +0000` (RFC 2822). */
export const timestamp = (date: Date): string => date.toUTCString().replace('GMT', '+0000');
