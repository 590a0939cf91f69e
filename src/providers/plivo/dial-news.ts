import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { DialNews, DialOutcome } from '../carrier.js';
import { isPlivoIdentifier } from './identifier.js';

const CALLBACK_EVENTS = ['DialAnswer', 'DialConnected', 'DialHangup', 'DialDigits'];

/**
 * Whether a webhook tells of a third party that a `Dial` has called: to its `callbackUrl` while it happens, or to its
 * `action` when it is over. The `CallStatus` that comes along is the caller's, and says nothing about the third party.
 * @see carrier reference 2.2
 */
export function isDialNews(parameters: ReadonlyMap<string, string>): boolean {
  return isCallback(parameters) || Boolean(parameters.get('DialStatus'));
}

/** Reads such a webhook. The action decides how the dialled call ended; a callback about its end only reports it. */
export function dialNewsOf(parameters: ReadonlyMap<string, string>): DialNews {
  const leg = parameters.get('DialBLegUUID');
  const legId = isPlivoIdentifier(leg) ? leg : undefined;
  if (!isCallback(parameters)) {
    const cause = parameters.get('DialHangupCause') || parameters.get('DialStatus') || 'unknown';
    return { phase: 'ended', outcome: outcomeOf(parameters, legId !== undefined), legId, cause };
  }
  const action = parameters.get('DialAction') || parameters.get('Event');
  const isAnswered = ['answer', 'connected', 'DialAnswer', 'DialConnected'].includes(action ?? '');
  if (!isAnswered) return { phase: 'other' };
  return { phase: 'answered', legId, to: normalisePhoneNumber(parameters.get('DialBLegTo') ?? '') };
}

function isCallback(parameters: ReadonlyMap<string, string>): boolean {
  return Boolean(parameters.get('DialAction')) || CALLBACK_EVENTS.includes(parameters.get('Event') ?? '');
}

const OUTCOMES_BY_STATUS: ReadonlyMap<string, DialOutcome> = new Map([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['timeout', 'no_answer'],
]);
/** Where the status says no more than that it failed, or is over although no third party was connected. */
const OUTCOMES_BY_CAUSE: ReadonlyMap<string, DialOutcome> = new Map([
  ['USER_BUSY', 'busy'],
  ['NO_ANSWER', 'no_answer'],
  ['NO_USER_RESPONSE', 'no_answer'],
]);

function outcomeOf(parameters: ReadonlyMap<string, string>, hasLeg: boolean): DialOutcome {
  const status = parameters.get('DialStatus') ?? '';
  const cause = parameters.get('DialHangupCause') ?? '';
  if (status === 'completed' && hasLeg) return 'completed';
  if (status === 'cancel') return 'caller_left';
  if (cause === 'CALL_REJECTED') return 'rejected'; // the carrier reports it as busy
  return OUTCOMES_BY_STATUS.get(status) ?? OUTCOMES_BY_CAUSE.get(cause) ?? 'failed';
}
