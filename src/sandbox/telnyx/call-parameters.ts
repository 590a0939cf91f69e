import type { StreamVerb } from '../carrier/call-document.js';
import { durationSeconds, END_STATUSES, liveStatus } from '../carrier/call-statuses.js';
import type { DialVerbOutcome, WebhookParameters } from '../carrier/face.js';
import type { CallEnding, PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES, type HangupCause } from '../network/hangup-causes.js';

/** Which account and connection a call belongs to. */
export interface CallOwner {
  readonly accountId: string;
  readonly connectionId: string;
}

/** The parameters of a request for a document. @see carrier reference 7.2 */
export function documentParameters(call: PhoneCall, owner: CallOwner): WebhookParameters {
  return {
    ...identity(call, owner),
    CallStatus: callStatus(call),
    Direction: call.setup.direction,
    From: call.setup.from,
    To: call.setup.to,
    CallerId: call.setup.from,
  };
}

/** The parameters of a webhook about how a call goes on. */
export function progressParameters(call: PhoneCall, owner: CallOwner, parent?: PhoneCall): WebhookParameters {
  const { end, answeredAt, setup } = call;
  const sequenceNumber = end ? 3 : answeredAt ? 2 : 1;
  return {
    ...identity(call, owner),
    CallStatus: callStatus(call),
    CallbackSource: 'call-progress-events',
    CallInitiatedAt: call.startedAt.toISOString(),
    From: setup.from,
    To: setup.to,
    SequenceNumber: String(sequenceNumber),
    Timestamp: new Date().toISOString(),
    ...(parent && { ParentCallSid: parent.id, ParentCallSidLegacy: parent.id }),
    ...(end && {
      CallDuration: String(durationSeconds(call)),
      StartTime: call.startedAt.toISOString(),
      ...(answeredAt && { AnsweredTime: answeredAt.toISOString() }),
      EndTime: end.at.toISOString(),
      HangupCause: answeredAt && end.cause.status === 'cancel' ? CAUSES.NORMAL_CLEARING : hangupCause(end.cause),
      HangupSource: hangupSource(call, end),
    }),
  };
}

/** The parameters of the result of machine detection: it names no numbers. */
export function machineParameters(call: PhoneCall, owner: CallOwner, isMachine: boolean): WebhookParameters {
  return {
    ...identity(call, owner),
    AnsweredBy: isMachine ? 'machine_start' : 'human',
    MachineDetectionDuration: String(call.setup.machineDetection?.afterMs ?? 0),
  };
}

/** The parameters of a request to the `action` of a `<Dial>`: how the dialled call went. */
export function dialParameters({ cause, leg }: DialVerbOutcome): WebhookParameters {
  return {
    DialCallStatus: END_STATUSES[cause.status],
    DialHangupCause: hangupCause(cause),
    ...(leg && {
      DialCallSid: leg.id,
      DialCallSidLegacy: leg.id,
      DialCallDuration: String(durationSeconds(leg)),
    }),
  };
}

/** The parameters of a stream's status callback. */
export function streamParameters(
  call: PhoneCall,
  owner: CallOwner,
  event: 'started' | 'stopped' | 'dropped',
  verb: StreamVerb,
  streamId: string,
): WebhookParameters {
  return {
    ...identity(call, owner),
    StreamSid: streamId,
    StreamName: verb.attributes.get('name') ?? '',
    StreamEvent: event === 'dropped' ? 'stream-error' : `stream-${event}`,
    ...(event === 'dropped' && { StreamError: 'the connection to the stream address was lost or refused' }),
    Timestamp: new Date().toISOString(),
  };
}

/** `CallStatus` of a call. One that was answered cannot be cancelled any more. */
export function callStatus(call: PhoneCall): string {
  const { end, answeredAt } = call;
  if (end) return end.cause.status === 'cancel' && answeredAt ? 'completed' : END_STATUSES[end.cause.status];
  return liveStatus(call);
}

const CAUSES = {
  NORMAL_CLEARING: 'normal_clearing',
  ORIGINATOR_CANCEL: 'originator_cancel',
  LOSE_RACE: 'originator_cancel',
  UNALLOCATED_NUMBER: 'not_found',
  USER_BUSY: 'user_busy',
  CALL_REJECTED: 'call_rejected',
  ALLOTTED_TIMEOUT: 'time_limit',
  NO_ANSWER: 'timeout',
} as const;

/** The carrier's word for the telephone network's. */
const hangupCause = ({ cause }: HangupCause): string =>
  (CAUSES as Readonly<Record<string, string>>)[cause] ?? 'unspecified';

/** Whose side of the leg ended it: what the application does is done at its own side. */
function hangupSource({ setup }: PhoneCall, { cause, source }: CallEnding): string {
  const ours = setup.direction === 'inbound' ? 'callee' : 'caller';
  if (source === 'Caller' || source === 'Callee') return source.toLowerCase();
  const isOurs = source === 'API Request' || source === 'Answer XML' || cause === HANGUP_CAUSES.endOfXml;
  return isOurs ? ours : 'unknown';
}

const identity = (call: PhoneCall, { accountId, connectionId }: CallOwner): WebhookParameters => ({
  AccountSid: accountId,
  CallSid: call.id,
  CallSidLegacy: call.id,
  ConnectionId: connectionId,
});
