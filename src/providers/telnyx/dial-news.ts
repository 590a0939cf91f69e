import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { DialNews } from '../carrier.js';
import { DIAL_OUTCOMES } from '../shared-verbs.js';
import { isTelnyxIdentifier } from './identifier.js';

/**
 * The end of a `Dial`, as its `action` is told.
 * @see carrier reference 7.2
 */
export function dialEndOf(parameters: ReadonlyMap<string, string>): DialNews {
  const legId = identifierOf(parameters.get('DialCallSid'));
  const status = parameters.get('DialCallStatus') ?? '';
  const cause = parameters.get('DialHangupCause') || parameters.get('HangupCause') || status;
  // The carrier reports it as busy or failed.
  const outcome = cause.toLowerCase() === 'call_rejected' ? 'rejected' : (DIAL_OUTCOMES.get(status) ?? 'failed');
  return { phase: 'ended', outcome, legId, cause };
}

/** What the `statusCallback` of a `Number` is told: the call to the third party goes by an identifier of its own. */
export function dialProgressOf(parameters: ReadonlyMap<string, string>): DialNews {
  if (parameters.get('CallStatus') !== 'in-progress') return { phase: 'other' };
  const legId = identifierOf(parameters.get('CallSid'));
  return { phase: 'answered', legId, to: normalisePhoneNumber(parameters.get('To') ?? '') };
}

const identifierOf = (id: string | undefined) => (isTelnyxIdentifier(id) ? id : undefined);
