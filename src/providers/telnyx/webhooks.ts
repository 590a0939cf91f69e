import { parseFields } from '../../base/http/json-fields.js';
import type { CallDirection } from '../../call/call.js';
import { asProviderCallId, type ProviderCallId } from '../../call/call-id.js';
import { callerNumber } from '../../call/caller-number.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { CarrierWebhook, DialNews, WebhookContent, WebhookEvent } from '../carrier.js';
import { cleanParameters, secondsToMs } from '../webhook-parameters.js';
import { dialEndOf, dialProgressOf } from './dial-news.js';
import { hangupReasonOf } from './hangup-reason.js';
import { isTelnyxIdentifier } from './identifier.js';

type Parameters = ReadonlyMap<string, string>;

const FINAL_STATUSES = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];
const LOST_STREAM = ['stream-failed', 'stream-error'];

/**
 * Reads the body of a webhook: a form, or JSON with the same fields. The address is not signed, and not read. Unknown
 * fields are ignored; texts are cleaned, and cut after 256 characters.
 * @see carrier reference 7.2
 */
export function parseTelnyxWebhook({
  body,
  contentType,
}: Pick<WebhookContent, 'body' | 'contentType'>): CarrierWebhook {
  const parameters = cleanParameters(parametersOf(Buffer.from(body).toString(), contentType));
  const event = eventOf(parameters);
  const streamEvent = parameters.get('StreamEvent') ?? '';
  return {
    event,
    providerCallId: callIdOf(parameters, event),
    from: callerNumber(parameters.get('From'), true),
    to: normalisePhoneNumber(parameters.get('To') ?? ''),
    direction: directionOf(parameters) ?? 'inbound',
    ...(event === 'hangup' && { hangup: hangupOf(parameters) }),
    ...(LOST_STREAM.includes(streamEvent) && { streamProblem: parameters.get('StreamError') || streamEvent }),
    ...(event === 'dial' && { dial: dialOf(parameters) }),
    ...(event === 'machine_detection' && { isMachine: isMachine(parameters) }),
  };
}

/** Whether the carrier adds a parameter of this name itself: to an address that it asks with GET, all of its fields. */
export function isTelnyxParameter(name: string): boolean {
  return /^[A-Z]/.test(name);
}

function parametersOf(text: string, contentType: string): Parameters {
  if (contentType !== 'application/json') return new Map(new URLSearchParams(text));
  const fields = Object.entries(parseFields(text) ?? {});
  return new Map(fields.flatMap(([name, value]) => (isScalar(value) ? [[name, String(value)]] : [])));
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function eventOf(parameters: Parameters): WebhookEvent {
  const status = parameters.get('CallStatus') ?? '';
  const isFinal = FINAL_STATUSES.includes(status);
  if (parameters.has('StreamEvent')) return 'other';
  if (isProgress(parameters)) {
    if (isOfDialledLeg(parameters)) return 'dial';
    if (isFinal) return 'hangup'; // also of a call whose last document was a dial, and which tells of that
    return status === 'ringing' ? 'ring' : 'other';
  }
  if (parameters.get('DialCallStatus')) return 'dial';
  if (parameters.get('AnsweredBy') && status === '') return 'machine_detection';
  if (isFinal) return 'hangup';
  // A continuation is asked for in the same words as an answer; the address tells them apart.
  return ['queued', 'initiated', 'ringing', 'in-progress'].includes(status) ? 'answer' : 'other';
}

/** A report of progress, where other requests want a document. */
const isProgress = (parameters: Parameters) => parameters.get('CallbackSource') === 'call-progress-events';

const isOfDialledLeg = (parameters: Parameters) => Boolean(parameters.get('ParentCallSid'));

/** Reports of a dialled third party go by its own identifier, and name the caller's beside it. */
function callIdOf(parameters: Parameters, event: WebhookEvent): ProviderCallId | undefined {
  const isLegs = event === 'dial' && isProgress(parameters);
  const id = parameters.get(isLegs ? 'ParentCallSid' : 'CallSid');
  return isTelnyxIdentifier(id) ? asProviderCallId(id) : undefined;
}

/** Undefined where the carrier does not say, as in most reports. */
function directionOf(parameters: Parameters): CallDirection | undefined {
  const direction = parameters.get('Direction');
  if (!direction) return undefined;
  return direction.startsWith('outbound') ? 'outbound' : 'inbound';
}

function dialOf(parameters: Parameters): DialNews {
  return isProgress(parameters) ? dialProgressOf(parameters) : dialEndOf(parameters);
}

function hangupOf(parameters: Parameters): NonNullable<CarrierWebhook['hangup']> {
  return {
    reason: hangupReasonOf(parameters, directionOf(parameters)),
    cause: parameters.get('HangupCause') || parameters.get('CallStatus') || 'unknown',
    source: parameters.get('HangupSource') || 'Unknown',
    durationMs: secondsToMs(parameters.get('CallDuration')),
  };
}

/** A fax is no person either. */
function isMachine(parameters: Parameters): boolean {
  return /^(?:machine|fax)/.test(parameters.get('AnsweredBy') ?? '');
}
