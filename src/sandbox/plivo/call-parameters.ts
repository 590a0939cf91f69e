import type { StreamVerb } from '../carrier/call-document.js';
import { durationSeconds } from '../carrier/call-statuses.js';
import type { DialVerbOutcome, WebhookParameters } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import type { HangupSource } from '../network/hangup-causes.js';

export type CallEventName = 'StartApp' | 'Ring' | 'Redirect' | 'Hangup' | 'MachineDetection' | LegEvent;
type LegEvent = 'DialAnswer' | 'DialConnected' | 'DialHangup';

/**
 * The parameters of a webhook about a call.
 * @param event undefined for requests that name none, such as those for the document of a transfer
 * @see carrier reference 2.2
 */
export function callParameters(call: PhoneCall, event: CallEventName | undefined, authId: string): WebhookParameters {
  const isOutbound = call.setup.direction === 'outbound';
  return {
    CallUUID: call.id,
    From: withoutPlus(call.setup.from),
    To: withoutPlus(call.setup.to),
    Direction: call.setup.direction,
    CallStatus: callStatus(call),
    ...(event && { Event: event }),
    SessionStart: timestamp(call.startedAt),
    ParentAuthID: authId,
    BillRate: '0.0055',
    STIRVerification: 'Not Applicable',
    ...(isOutbound && { RequestUUID: call.id, ALegUUID: call.id, ALegRequestUUID: call.id }),
    ...(event === 'Hangup' && call.end && hangupParameters(call, call.end)),
  };
}

/** The parameters of a request to the `action` of a `<Dial>`: how the dialled call went. @see carrier reference 2.2 */
export function dialParameters(call: PhoneCall, { cause, leg, hasRung }: DialVerbOutcome): WebhookParameters {
  return {
    DialStatus: cause.status,
    DialRingStatus: String(hasRung),
    DialHangupCause: cause.cause,
    DialALegUUID: call.id,
    DialBLegUUID: leg?.id ?? '',
  };
}

/**
 * The parameters of a webhook about a leg that a call's document has dialled.
 * @param position of the number in the document, from 1
 */
export function legParameters(
  call: PhoneCall,
  leg: PhoneCall,
  position: number,
  action: 'answer' | 'connected' | 'hangup',
  authId: string,
): WebhookParameters {
  const events = { answer: 'DialAnswer', connected: 'DialConnected', hangup: 'DialHangup' } as const;
  return {
    ...callParameters(call, events[action], authId),
    DialAction: action,
    DialALegUUID: call.id,
    DialBLegUUID: leg.id,
    DialBLegStatus: action,
    DialBLegFrom: withoutPlus(leg.setup.from),
    DialBLegTo: withoutPlus(leg.setup.to),
    DialBLegPosition: String(position),
    ...(leg.end && {
      DialBLegDuration: String(durationSeconds(leg)),
      DialBLegHangupCause: leg.end.cause.cause,
      DialBLegHangupCauseName: leg.end.cause.name,
      DialBLegHangupCauseCode: String(leg.end.cause.code),
      DialBLegHangupSource: hangupSource(leg.end.source),
    }),
  };
}

/** The parameters of a stream's status callback. @see carrier reference 4.5 */
export function streamParameters(
  call: PhoneCall,
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

/** `HangupSource`: the network is the carrier's own. */
export const hangupSource = (source: HangupSource): string => (source === 'Network' ? 'Plivo' : source);

/** `CallStatus` of a call. */
export function callStatus(call: PhoneCall): string {
  return call.end?.cause.status ?? (call.isQueued ? 'queued' : call.answeredAt ? 'in-progress' : 'ringing');
}

/** `YYYY-MM-DD HH:MM:SS.ffffff`, in UTC. */
export function timestamp(date: Date): string {
  return date.toISOString().replace('T', ' ').replace('Z', '000');
}

/** Telephone numbers travel as digits only. */
export function withoutPlus(number: string): string {
  return number.replace(/^\+/, '');
}

function hangupParameters(call: PhoneCall, end: NonNullable<PhoneCall['end']>): WebhookParameters {
  const duration = String(durationSeconds(call));
  return {
    HangupCause: end.cause.cause,
    HangupCauseName: end.cause.name,
    HangupCauseCode: String(end.cause.code),
    HangupSource: hangupSource(end.source),
    Duration: duration,
    BillDuration: duration,
    TotalCost: '0.00000',
    StartTime: timestamp(call.startedAt),
    ...(call.answeredAt && { AnswerTime: timestamp(call.answeredAt) }),
    EndTime: timestamp(end.at),
  };
}
