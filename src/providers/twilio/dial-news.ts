import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { DialNews, DialOutcome } from '../carrier.js';
import { DIAL_OUTCOMES } from '../shared-verbs.js';
import { reasonOfSip } from './hangup-reason.js';
import { isSid } from './identifier.js';

/**
 * Whether a webhook tells of a third party that a `Dial` has called: to the `statusCallback` of its number while it
 * happens, under the third party's own identifier, or to the `action` when it is over.
 */
export function isDialNews(parameters: ReadonlyMap<string, string>): boolean {
  return isCallback(parameters) || Boolean(parameters.get('DialCallStatus'));
}

/** The identifier of the call that the caller has. */
export function callerSidOf(parameters: ReadonlyMap<string, string>): string | undefined {
  return parameters.get(isCallback(parameters) ? 'ParentCallSid' : 'CallSid');
}

/** Reads such a webhook. The action decides how the dialled call ended; a callback about its end only reports it. */
export function dialNewsOf(parameters: ReadonlyMap<string, string>): DialNews {
  const leg = parameters.get(isCallback(parameters) ? 'CallSid' : 'DialCallSid');
  const legId = isSid(leg, 'CA') ? leg : undefined;
  if (!isCallback(parameters)) {
    const sipCode = parameters.get('DialSipResponseCode');
    const cause = (parameters.get('DialCallStatus') ?? '') + (sipCode ? ` (SIP ${sipCode})` : '');
    return { phase: 'ended', outcome: outcomeOf(parameters), legId, cause };
  }
  if (parameters.get('CallStatus') !== 'in-progress') return { phase: 'other' };
  return { phase: 'answered', legId, to: normalisePhoneNumber(parameters.get('To') ?? '') };
}

function isCallback(parameters: ReadonlyMap<string, string>): boolean {
  return Boolean(parameters.get('ParentCallSid')) && parameters.get('CallbackSource') === 'call-progress-events';
}

function outcomeOf(parameters: ReadonlyMap<string, string>): DialOutcome {
  const outcome = DIAL_OUTCOMES.get(parameters.get('DialCallStatus') ?? '') ?? 'failed';
  if (outcome === 'completed') return outcome;
  // The status beside it is the caller's.
  if (parameters.get('CallStatus') === 'completed') return 'caller_left';
  const bySip = reasonOfSip(parameters.get('DialSipResponseCode'));
  return bySip === 'rejected' ? 'rejected' : outcome;
}
