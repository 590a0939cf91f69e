import { asProviderCallId } from '../../call/call-id.js';
import { callerNumber } from '../../call/caller-number.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { CarrierWebhook, WebhookEvent } from '../carrier.js';
import { cleanParameters, secondsToMs } from '../webhook-parameters.js';
import { callerSidOf, dialNewsOf, isDialNews } from './dial-news.js';
import { causeOf, FINAL_STATUSES, hangupReasonOf } from './hangup-reason.js';
import { isSid } from './identifier.js';
import { BODY_HASH } from './signature.js';

/**
 * Reads the parameters of a webhook, from a form or a query. Unknown ones are ignored; verify the signature over all of
 * them before. Texts are cleaned, and cut after 256 characters.
 */
export function parseTwilioWebhook(received: ReadonlyMap<string, string>): CarrierWebhook {
  const parameters = cleanParameters(received);
  const event = eventOf(parameters);
  const direction = parameters.get('Direction')?.startsWith('outbound') ? 'outbound' : 'inbound';
  const callSid = event === 'dial' ? callerSidOf(parameters) : parameters.get('CallSid');
  const isMachine = event === 'machine_detection' ? isMachineOf(parameters.get('AnsweredBy') ?? '') : undefined;
  return {
    event,
    providerCallId: isSid(callSid, 'CA') ? asProviderCallId(callSid) : undefined,
    from: callerNumber(parameters.get('From'), true),
    to: normalisePhoneNumber(parameters.get('To') ?? ''),
    direction,
    ...(event === 'hangup' && {
      hangup: {
        reason: hangupReasonOf(parameters, direction),
        cause: causeOf(parameters),
        source: 'Unknown',
        durationMs: secondsToMs(parameters.get('CallDuration')),
      },
    }),
    ...(parameters.get('StreamEvent') === 'stream-error' && {
      streamProblem: parameters.get('StreamError') || 'stream-error',
    }),
    ...(event === 'dial' && { dial: dialNewsOf(parameters) }),
    ...(isMachine !== undefined && { isMachine }),
  };
}

/** Whether the carrier adds a parameter of this name itself: all of its names but one begin with a capital letter. */
export function isTwilioParameter(name: string): boolean {
  return /^[A-Z]/.test(name) || name === BODY_HASH;
}

/** What the carrier asks or tells; the document after a stream is asked for in the words of a new call's. */
function eventOf(parameters: ReadonlyMap<string, string>): WebhookEvent {
  if (parameters.has('StreamEvent')) return 'other';
  // Before everything else: the status that comes along may be the caller's.
  if (isDialNews(parameters)) return 'dial';
  const status = parameters.get('CallStatus') ?? '';
  if (parameters.has('MachineDetectionDuration') || (status === '' && parameters.has('AnsweredBy'))) {
    return 'machine_detection';
  }
  if (FINAL_STATUSES.includes(status)) return 'hangup';
  if (parameters.get('CallbackSource') === 'call-progress-events') return status === 'ringing' ? 'ring' : 'other';
  return status === 'ringing' || status === 'in-progress' ? 'answer' : 'other';
}

/** Undefined where the carrier could not tell, as for `unknown`. */
function isMachineOf(answeredBy: string): boolean | undefined {
  if (/^(machine|fax)/.test(answeredBy)) return true;
  return answeredBy === 'human' ? false : undefined;
}
