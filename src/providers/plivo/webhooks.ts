import { asProviderCallId, type ProviderCallId } from '../../call/call-id.js';
import { callerNumber } from '../../call/caller-number.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { CarrierWebhook, WebhookEvent } from '../carrier.js';
import { cleanParameters, secondsToMs } from '../webhook-parameters.js';
import { dialNewsOf, isDialNews } from './dial-news.js';
import { hangupReasonOf } from './hangup-reason.js';
import { isPlivoIdentifier } from './identifier.js';

const EVENTS: ReadonlyMap<string, WebhookEvent> = new Map([
  ['StartApp', 'answer'],
  ['Ring', 'ring'],
  ['Hangup', 'hangup'],
  ['Redirect', 'continue'],
  ['MachineDetection', 'machine_detection'],
]);

/** Names of the parameter that says what answered. */
const MACHINE = ['Machine', 'IfMachine'];

const FINAL_STATUSES = ['completed', 'busy', 'failed', 'timeout', 'no-answer', 'cancel'];

/**
 * Reads the parameters of a webhook, from a form or a query. Unknown ones are ignored; verify the signature over all of
 * them before. Texts are cleaned, and cut after 256 characters.
 * @see carrier reference 2.1 and 2.2
 */
export function parsePlivoWebhook(received: ReadonlyMap<string, string>): CarrierWebhook {
  const parameters = cleanParameters(received);
  const event = eventOf(parameters);
  const requestId = parameters.get('RequestUUID');
  return {
    event,
    providerCallId: callIdOf(parameters, event),
    ...(isPlivoIdentifier(requestId) && { requestId: asProviderCallId(requestId) }),
    from: callerNumber(parameters.get('From'), true),
    to: normalisePhoneNumber(parameters.get('To') ?? ''),
    direction: directionOf(parameters),
    ...(event === 'hangup' && { hangup: hangupOf(parameters) }),
    ...(isLostStream(parameters) && { streamProblem: parameters.get('StatusReason') || 'DroppedStream' }),
    ...(event === 'dial' && { dial: dialNewsOf(parameters) }),
    ...(event === 'machine_detection' && { isMachine: isMachine(parameters) }),
  };
}

/**
 * Whether the carrier adds a parameter of this name itself. All of its names begin with a capital letter, the `X-PH-` of
 * custom SIP headers too.
 * @see carrier reference 2.2
 */
export function isPlivoParameter(name: string): boolean {
  return /^[A-Z]/.test(name);
}

function eventOf(parameters: ReadonlyMap<string, string>): WebhookEvent {
  const event = parameters.get('Event');
  if (event === 'Hangup') return 'hangup';
  // Before everything else: its event says `Redirect`, and its status that the call is in progress or completed.
  if (isDialNews(parameters)) return 'dial';
  if (event) return EVENTS.get(event) ?? 'other';
  if (isMachineNews(parameters)) return 'machine_detection';
  const status = parameters.get('CallStatus') ?? '';
  if (FINAL_STATUSES.includes(status)) return 'hangup';
  if (status === 'in-progress') return 'answer';
  // Ringing is when an inbound call asks for its document; of a dialled one it is only reported.
  if (status === 'ringing') return directionOf(parameters) === 'inbound' ? 'answer' : 'ring';
  return 'other';
}

/** A webhook about a dialled third party may go by its own identifier, and then names the caller's beside it. */
function callIdOf(parameters: ReadonlyMap<string, string>, event: WebhookEvent): ProviderCallId | undefined {
  const names = event === 'dial' ? ['DialALegUUID', 'CallUUID'] : ['CallUUID'];
  const id = names.map((name) => parameters.get(name)).find(isPlivoIdentifier);
  return id === undefined ? undefined : asProviderCallId(id);
}

function directionOf(parameters: ReadonlyMap<string, string>): CarrierWebhook['direction'] {
  return parameters.get('Direction') === 'outbound' ? 'outbound' : 'inbound';
}

function hangupOf(parameters: ReadonlyMap<string, string>): NonNullable<CarrierWebhook['hangup']> {
  return {
    reason: hangupReasonOf(parameters, directionOf(parameters)),
    cause:
      parameters.get('HangupCause') || parameters.get('HangupCauseName') || parameters.get('CallStatus') || 'unknown',
    source: parameters.get('HangupSource') || 'Unknown',
    durationMs: secondsToMs(parameters.get('Duration')),
  };
}

/** Both naming schemes of carrier reference 4.5. */
function isLostStream(parameters: ReadonlyMap<string, string>): boolean {
  return ['DroppedStream', 'failed'].includes(parameters.get('Event') ?? '');
}

/** What answered; the webhook about a hang-up may repeat it. */
function isMachineNews(parameters: ReadonlyMap<string, string>): boolean {
  const has = (name: string) => Boolean(parameters.get(name));
  return MACHINE.some(has) && !['HangupCause', 'HangupCauseCode'].some(has);
}

function isMachine(parameters: ReadonlyMap<string, string>): boolean {
  return MACHINE.some((name) => parameters.get(name)?.toLowerCase() === 'true');
}
