import type { StreamVerb } from '../carrier/call-document.js';
import { durationSeconds } from '../carrier/call-statuses.js';
import type { DialVerbOutcome, WebhookParameters } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import { callStatus, errorCode, sipCode, timestamp, unansweredStatus } from './call-status.js';

export const API_VERSION = '2010-04-01';

/** The parameters of a request for a document. @see carrier reference 7.1 */
export function documentParameters(call: PhoneCall, accountSid: string): WebhookParameters {
  const { from, to, direction } = call.setup;
  return {
    ...identity(call, accountSid),
    ApiVersion: API_VERSION,
    CallStatus: callStatus(call),
    Direction: direction === 'inbound' ? 'inbound' : 'outbound-api',
    From: from,
    Caller: from,
    To: to,
    Called: to,
  };
}

/** The parameters of a webhook about how a call goes on. @param parent whose document has dialled the call */
export function progressParameters(call: PhoneCall, accountSid: string, parent?: PhoneCall): WebhookParameters {
  const { end, answeredAt, setup } = call;
  // Of an incoming call only the end is reported.
  const sequenceNumber = setup.direction === 'inbound' ? 0 : end ? 3 : answeredAt ? 2 : 1;
  const error = end && errorCode(end);
  return {
    ...documentParameters(call, accountSid),
    ...(parent && { ParentCallSid: parent.id, Direction: 'outbound-dial' }),
    CallbackSource: 'call-progress-events',
    SequenceNumber: String(sequenceNumber),
    Timestamp: timestamp(end?.at ?? new Date()),
    ...(end && {
      CallDuration: String(durationSeconds(call)),
      Duration: String(Math.ceil(durationSeconds(call) / 60)),
      ...(setup.direction === 'outbound' && { SipResponseCode: sipCode(end.cause, answeredAt !== undefined) }),
    }),
    ...(error !== undefined && { ErrorCode: error }),
  };
}

/** The parameters of the result of machine detection in the background. */
export function machineParameters(call: PhoneCall, accountSid: string, isMachine: boolean): WebhookParameters {
  return {
    ...identity(call, accountSid),
    AnsweredBy: isMachine ? 'machine_start' : 'human',
    MachineDetectionDuration: String(call.setup.machineDetection?.afterMs ?? 0),
  };
}

/** The parameters of a request to the `action` of a `<Dial>`: how the dialled call went. */
export function dialParameters({ cause, leg }: DialVerbOutcome): WebhookParameters {
  return {
    DialCallStatus: leg ? 'completed' : unansweredStatus(cause),
    DialSipResponseCode: sipCode(cause, leg !== undefined),
    DialBridged: String(leg !== undefined),
    ...(leg && { DialCallSid: leg.id, DialCallDuration: String(durationSeconds(leg)) }),
  };
}

/** The parameters of a stream's status callback. */
export function streamParameters(
  call: PhoneCall,
  accountSid: string,
  event: 'started' | 'stopped' | 'dropped',
  verb: StreamVerb,
  streamSid: string,
): WebhookParameters {
  const name = verb.attributes.get('name') ?? streamSid;
  return {
    ...identity(call, accountSid),
    StreamSid: streamSid,
    StreamName: name,
    StreamEvent: event === 'dropped' ? 'stream-error' : `stream-${event}`,
    ...(event === 'dropped' && { StreamError: 'the connection to the stream address was lost or refused' }),
    Timestamp: new Date().toISOString(),
  };
}

const identity = (call: PhoneCall, accountSid: string): WebhookParameters => ({
  AccountSid: accountSid,
  CallSid: call.id,
});
