import type { EndReason } from '../../call/call.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { CarrierWebhook, WebhookEvent } from '../contract.js';
import { isPlivoIdentifier } from './identifier.js';

const EVENTS: ReadonlyMap<string, WebhookEvent> = new Map([
  ['StartApp', 'answer'],
  ['Ring', 'ring'],
  ['Hangup', 'hangup'],
  ['Redirect', 'continue'],
  ['MachineDetection', 'machine_detection'],
]);

/** By `HangupCause`, or by `CallStatus` where a carrier sends no cause. */
const REASONS: ReadonlyMap<string | undefined, EndReason> = new Map([
  ['USER_BUSY', 'busy'],
  ['NO_ANSWER', 'no_answer'],
  ['ORIGINATOR_CANCEL', 'caller_hung_up'],
  ['CALL_REJECTED', 'rejected'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['timeout', 'no_answer'],
]);

const FINAL_STATUSES = ['completed', 'busy', 'failed', 'timeout', 'no-answer', 'cancel'];

/**
 * Reads the parameters of a webhook, from a form or a query. Unknown ones are ignored; verify the signature over all of
 * them before.
 * @see reference 2.1 and 2.2
 */
export function parsePlivoWebhook(parameters: ReadonlyMap<string, string>): CarrierWebhook {
  const callId = parameters.get('CallUUID');
  const event = eventOf(parameters);
  return {
    event,
    callId: isPlivoIdentifier(callId) ? callId : undefined,
    from: normalisePhoneNumber(parameters.get('From') ?? ''),
    to: normalisePhoneNumber(parameters.get('To') ?? ''),
    direction: directionOf(parameters),
    ...(event === 'hangup' && { hangup: hangupOf(parameters) }),
    ...(isLostStream(parameters) && { streamProblem: parameters.get('StatusReason') || 'DroppedStream' }),
  };
}

function eventOf(parameters: ReadonlyMap<string, string>): WebhookEvent {
  const event = parameters.get('Event');
  if (event) return EVENTS.get(event) ?? 'other';
  const status = parameters.get('CallStatus') ?? '';
  if (FINAL_STATUSES.includes(status)) return 'hangup';
  if (status === 'in-progress') return 'answer';
  // Ringing is when an inbound call asks for its document, but only news about a dialled one.
  if (status === 'ringing') return directionOf(parameters) === 'inbound' ? 'answer' : 'ring';
  return 'other';
}

function directionOf(parameters: ReadonlyMap<string, string>): CarrierWebhook['direction'] {
  return parameters.get('Direction') === 'outbound' ? 'outbound' : 'inbound';
}

function hangupOf(parameters: ReadonlyMap<string, string>): NonNullable<CarrierWebhook['hangup']> {
  const seconds = parameters.get('Duration') ?? '';
  return {
    reason: reasonOf(parameters),
    cause:
      parameters.get('HangupCause') || parameters.get('HangupCauseName') || parameters.get('CallStatus') || 'unknown',
    source: parameters.get('HangupSource') || 'Unknown',
    durationMs: /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined,
  };
}

/** Both naming schemes of reference 4.5. */
function isLostStream(parameters: ReadonlyMap<string, string>): boolean {
  return ['DroppedStream', 'failed'].includes(parameters.get('Event') ?? '');
}

/** By `HangupCauseCode`, which says most; reference 2.5. */
const REASONS_BY_CODE: ReadonlyMap<string, EndReason> = new Map([
  ['3000', 'no_answer'],
  ['3010', 'busy'],
  ['3020', 'rejected'],
  ['3110', 'rejected'],
  ['6000', 'limit_reached'],
  ['6010', 'no_answer'],
  ['9100', 'voicemail'],
]);
/** The codes of a call that ended as calls do. */
const NORMAL_CODES = ['1000', '4000', '0', ''];

/** Our own request or document ends a call as the bot wished; people hang up normally; the rest is the network's. */
function reasonOf(parameters: ReadonlyMap<string, string>): EndReason {
  const source = parameters.get('HangupSource') ?? '';
  const code = parameters.get('HangupCauseCode') ?? '';
  const named =
    REASONS_BY_CODE.get(code) ??
    REASONS.get(parameters.get('HangupCause')) ??
    REASONS.get(parameters.get('CallStatus'));
  const isOurs = ['API Request', 'Answer XML'].includes(source);
  if (isOurs && (NORMAL_CODES.includes(code) || named)) return 'bot_ended';
  if (named) return named;
  if (!NORMAL_CODES.includes(code)) return 'provider_error';
  const isPersons = ['Caller', 'Callee', 'Call recipient'].includes(source);
  return isPersons || code === '4000' || parameters.get('CallStatus') === 'completed'
    ? 'caller_hung_up'
    : 'provider_error';
}
