import { isTelnyxParameter, parseTelnyxWebhook } from '../../../src/providers/telnyx/webhooks.js';
import { describeCallSidWebhooks } from '../carrier-webhooks.js';
import { CALL_ID } from './vendor-client.js';

const legId = 'v3:leg';
const CALL = { CallSid: CALL_ID, AccountSid: 'a', From: '+12025550101', To: '+12025550100' };
const INBOUND = { ...CALL, Direction: 'inbound' };
const OUTBOUND = { ...CALL, Direction: 'outbound' };
const PROGRESS = { CallbackSource: 'call-progress-events', Timestamp: 'Tue, 24 Nov 2026 02:30:28 +0000' };

const parse = (parameters: Record<string, string>) =>
  parseTelnyxWebhook({
    body: Buffer.from(new URLSearchParams(parameters).toString()),
    contentType: 'application/x-www-form-urlencoded',
  });
const parseJson = (body: string) => parseTelnyxWebhook({ body: Buffer.from(body), contentType: 'application/json' });

test('reads an inbound call, as a form and as JSON', () => {
  const fields = { ...INBOUND, CallStatus: 'in-progress', CallerId: '+12025550101' };
  const told = {
    event: 'answer',
    providerCallId: CALL_ID,
    from: '+12025550101',
    to: '+12025550100',
    direction: 'inbound',
  };
  expect(parse(fields)).toEqual(told);
  expect(parseJson(JSON.stringify(fields))).toEqual(told);
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '17',
  '{"CallSid":{"a":1},"CallStatus":["completed"]}',
  '{"data":{"event_type":"x"}}',
])('nothing is made of the JSON %s', (body) => {
  expect(parseJson(body)).toMatchObject({ event: 'other', providerCallId: undefined });
});

describeCallSidWebhooks({
  parse,
  callId: CALL_ID,
  legId,
  inbound: INBOUND,
  progress: PROGRESS,
  dialled: {},
  events: [
    [{ ...INBOUND, CallStatus: 'ringing' }, 'answer'],
    [{ ...INBOUND, CallStatus: 'in-progress' }, 'answer'],
    [{ ...OUTBOUND, CallStatus: 'in-progress' }, 'answer'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'initiated' }, 'other'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'ringing' }, 'ring'],
    [{ ...CALL, ...PROGRESS, CallStatus: 'ringing' }, 'ring'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'in-progress' }, 'other'],
    [{ ...CALL, ...PROGRESS, CallStatus: 'completed' }, 'hangup'],
    [{ ...CALL, ...PROGRESS, CallStatus: 'busy' }, 'hangup'],
    [{ ...CALL, CallStatus: 'completed' }, 'hangup'],
    [{ CallSid: CALL_ID, AnsweredBy: 'human' }, 'machine_detection'],
    [{ ...INBOUND, CallStatus: 'in-progress', DialCallStatus: 'busy' }, 'dial'],
    [{ ...CALL, ...PROGRESS, CallStatus: 'completed', DialCallStatus: 'completed' }, 'hangup'],
    [{ ...CALL, ...PROGRESS, CallStatus: 'completed', ParentCallSid: legId }, 'dial'],
    [{ CallSid: CALL_ID, StreamEvent: 'stream-started', CallStatus: 'completed' }, 'other'],
    [{ CallSid: CALL_ID }, 'other'],
    [{ ...INBOUND, CallStatus: 'constructor' }, 'other'],
  ],
  ends: [
    [{ ...OUTBOUND, CallStatus: 'completed', HangupSource: 'callee' }, 'caller_hung_up', 'completed'],
    [{ ...OUTBOUND, CallStatus: 'completed', HangupSource: 'caller' }, 'bot_ended', 'completed'],
    [{ ...INBOUND, CallStatus: 'completed', HangupSource: 'callee' }, 'bot_ended', 'completed'],
    [{ ...INBOUND, CallStatus: 'completed', HangupSource: 'caller' }, 'caller_hung_up', 'completed'],
    [{ ...CALL, CallStatus: 'busy' }, 'busy', 'busy'],
    [{ ...CALL, CallStatus: 'busy', HangupCause: 'CALL_REJECTED' }, 'rejected', 'CALL_REJECTED'],
    [{ ...CALL, CallStatus: 'failed', HangupCause: 'call_rejected' }, 'rejected', 'call_rejected'],
    [{ ...CALL, CallStatus: 'failed', HangupCause: 'UNALLOCATED_NUMBER' }, 'telephony_error', 'UNALLOCATED_NUMBER'],
    [{ ...CALL, CallStatus: 'failed' }, 'telephony_error', 'failed'],
    [{ ...CALL, CallStatus: 'no-answer', HangupCause: 'timeout' }, 'no_answer', 'timeout'],
    [{ ...CALL, CallStatus: 'completed', HangupCause: 'time_limit' }, 'limit_reached', 'time_limit'],
    [{ ...CALL, CallStatus: 'canceled' }, 'bot_ended', 'canceled'],
    [{ ...INBOUND, CallStatus: 'canceled' }, 'caller_hung_up', 'canceled'],
  ],
  answerers: [
    ['human', false],
    ['not_sure', false],
    ['machine', true],
    ['machine_end_beep', true],
    ['fax', true],
  ],
  otherStates: ['initiated', 'ringing', 'completed', 'busy'],
  lost: { event: 'stream-failed', why: 'connection_failed' },
  noCallIds: ['', '../Accounts', 'v3:', 'v3:a/b', `${CALL_ID}\n`, `${CALL_ID}?`],
});

describe('a dialled third party', () => {
  test.each([
    ['completed', '', 'completed'],
    ['answered', '', 'completed'],
    ['busy', 'USER_BUSY', 'busy'],
    ['busy', 'CALL_REJECTED', 'rejected'],
    ['no-answer', '', 'no_answer'],
    ['failed', '', 'failed'],
    ['canceled', '', 'caller_left'],
    ['constructor', '', 'failed'],
  ])('that ended as %s %s: %s', (DialCallStatus, DialHangupCause, outcome) => {
    const fields = { ...INBOUND, CallStatus: 'in-progress', DialCallStatus, DialHangupCause, DialCallSid: legId };
    expect(parse(fields)).toMatchObject({ providerCallId: CALL_ID, dial: { phase: 'ended', outcome, legId } });
  });
});

test("tells the carrier's own parameters from those of our addresses", () => {
  const names = ['CallSid', 'StreamEvent', 'user_id', 'token', 'body', 'call_id', 'stream_no', ''];
  expect(names.filter(isTelnyxParameter)).toEqual(['CallSid', 'StreamEvent']);
});
