import type { Call } from './call.js';
import type { StreamVerb } from './document.js';
import type { WebhookParameters } from './webhooks.js';

export type CallEvent = 'StartApp' | 'Ring' | 'Redirect' | 'Hangup';

/** The parameters of a webhook about a call. @see carrier reference section 2.2 */
export function callParameters(call: Call, event: CallEvent, authId: string): WebhookParameters {
  const isOutbound = call.setup.direction === 'outbound';
  return {
    CallUUID: call.id,
    From: withoutPlus(call.setup.from),
    To: withoutPlus(call.setup.to),
    Direction: call.setup.direction,
    CallStatus: callStatus(call),
    Event: event,
    SessionStart: timestamp(call.startedAt),
    ParentAuthID: authId,
    BillRate: '0.0055',
    STIRVerification: 'Not Applicable',
    ...(isOutbound && { RequestUUID: call.id, ALegUUID: call.id, ALegRequestUUID: call.id }),
    ...(call.end && hangupParameters(call, call.end)),
  };
}

/** The parameters of a stream's status callback. @see carrier reference section 4.5 */
export function streamParameters(
  call: Call,
  event: 'StartStream' | 'StopStream' | 'DroppedStream',
  verb: StreamVerb,
  streamId: string,
): WebhookParameters {
  const echoed = ['bidirectional', 'audioTrack', 'streamTimeout', 'contentType', 'extraHeaders', 'keepCallAlive'];
  return {
    Event: event,
    CallUUID: call.id,
    StreamID: streamId,
    From: withoutPlus(call.setup.from),
    To: withoutPlus(call.setup.to),
    Direction: call.setup.direction,
    Timestamp: new Date().toISOString(),
    ...Object.fromEntries([...verb.attributes].filter(([name]) => echoed.includes(name))),
  };
}

/** `CallStatus` of a call. */
export function callStatus(call: Call): string {
  return call.end?.cause.status ?? (call.answeredAt ? 'in-progress' : 'ringing');
}

/** `YYYY-MM-DD HH:MM:SS.ffffff`, in UTC. */
export function timestamp(date: Date): string {
  return date.toISOString().replace('T', ' ').replace('Z', '000');
}

/** Telephone numbers travel as digits only. */
export function withoutPlus(number: string): string {
  return number.replace(/^\+/, '');
}

function hangupParameters(call: Call, end: NonNullable<Call['end']>): WebhookParameters {
  const seconds = String(Math.ceil(call.durationMs / 1_000));
  return {
    HangupCause: end.cause.cause,
    HangupCauseName: end.cause.name,
    HangupCauseCode: String(end.cause.code),
    HangupSource: end.source,
    Duration: seconds,
    BillDuration: seconds,
    TotalCost: '0.00000',
    StartTime: timestamp(call.startedAt),
    ...(call.answeredAt && { AnswerTime: timestamp(call.answeredAt) }),
    EndTime: timestamp(end.at),
  };
}
