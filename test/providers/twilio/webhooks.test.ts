import { isTwilioParameter, parseTwilioWebhook } from '../../../src/providers/twilio/webhooks.js';
import { describeCallSidWebhooks } from '../carrier-webhooks.js';

const callId = 'CA5d41402abc4b2a76b9719d911017c592';
const legId = 'CA00000000000000000000000000000002';
const CALL = {
  CallSid: callId,
  AccountSid: 'AC0123456789abcdef0123456789abcdef',
  From: '+12025550101',
  To: '+12025550100',
};
const INBOUND = { ...CALL, Direction: 'inbound' };
const OUTBOUND = { ...CALL, Direction: 'outbound-api' };
const PROGRESS = {
  CallbackSource: 'call-progress-events',
  SequenceNumber: '2',
  Timestamp: 'Tue, 24 Nov 2026 02:30:28 +0000',
};

const parse = (parameters: Record<string, string>) => parseTwilioWebhook(new Map(Object.entries(parameters)));

test('reads an inbound call', () => {
  expect(parse({ ...INBOUND, CallStatus: 'ringing', ApiVersion: '2010-04-01', CallerCity: 'X' })).toEqual({
    event: 'answer',
    providerCallId: callId,
    from: '+12025550101',
    to: '+12025550100',
    direction: 'inbound',
  });
});

describeCallSidWebhooks({
  parse,
  callId,
  legId,
  inbound: INBOUND,
  progress: PROGRESS,
  dialled: { Direction: 'outbound-dial' },
  events: [
    [{ ...INBOUND, CallStatus: 'ringing' }, 'answer'],
    [{ ...INBOUND, CallStatus: 'in-progress' }, 'answer'],
    [{ ...OUTBOUND, CallStatus: 'in-progress' }, 'answer'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'queued' }, 'other'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'initiated' }, 'other'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'ringing' }, 'ring'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'in-progress' }, 'other'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'completed' }, 'hangup'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'completed', AnsweredBy: 'human' }, 'hangup'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'busy' }, 'hangup'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'no-answer' }, 'hangup'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'canceled' }, 'hangup'],
    [{ ...OUTBOUND, ...PROGRESS, CallStatus: 'failed' }, 'hangup'],
    [{ ...INBOUND, ...PROGRESS, CallStatus: 'completed' }, 'hangup'],
    [{ CallSid: callId, AnsweredBy: 'human', MachineDetectionDuration: '2500' }, 'machine_detection'],
    [{ CallSid: callId, AnsweredBy: 'machine_start' }, 'machine_detection'],
    [{ ...INBOUND, CallStatus: 'in-progress', DialCallStatus: 'busy' }, 'dial'],
    [{ ...INBOUND, CallStatus: 'completed', DialCallStatus: 'completed' }, 'dial'],
    [{ ...INBOUND, ...PROGRESS, CallStatus: 'completed', ParentCallSid: legId }, 'dial'],
    [{ ...INBOUND, CallStatus: 'ringing', ParentCallSid: legId }, 'answer'],
    [{ CallSid: callId, StreamEvent: 'stream-started', CallStatus: 'completed' }, 'other'],
    [{ CallSid: callId, StreamEvent: 'stream-stopped' }, 'other'],
    [{ CallSid: callId }, 'other'],
    [{ ...INBOUND, CallStatus: 'constructor' }, 'other'],
    [{ event: 'ringing', callStatus: 'ringing' }, 'other'],
  ],
  ends: [
    [{ ...OUTBOUND, CallStatus: 'completed' }, 'caller_hung_up', 'completed'],
    [{ ...INBOUND, CallStatus: 'completed', ErrorCode: '11200' }, 'telephony_error', 'completed (error 11200)'],
    [{ ...OUTBOUND, CallStatus: 'busy', SipResponseCode: '486' }, 'busy', 'busy (SIP 486)'],
    [{ ...OUTBOUND, CallStatus: 'busy', SipResponseCode: '603' }, 'rejected', 'busy (SIP 603)'],
    [{ ...OUTBOUND, CallStatus: 'failed', SipResponseCode: '607' }, 'rejected', 'failed (SIP 607)'],
    [{ ...OUTBOUND, CallStatus: 'failed', SipResponseCode: '404' }, 'telephony_error', 'failed (SIP 404)'],
    [{ ...OUTBOUND, CallStatus: 'failed', ErrorCode: '13227' }, 'telephony_error', 'failed (error 13227)'],
    [{ ...OUTBOUND, CallStatus: 'failed' }, 'telephony_error', 'failed'],
    [{ ...OUTBOUND, CallStatus: 'no-answer' }, 'no_answer', 'no-answer'],
    [{ ...OUTBOUND, CallStatus: 'no-answer', SipResponseCode: '487' }, 'no_answer', 'no-answer (SIP 487)'],
    [{ ...OUTBOUND, CallStatus: 'canceled', SipResponseCode: '487' }, 'bot_ended', 'canceled (SIP 487)'],
    [{ ...INBOUND, CallStatus: 'canceled' }, 'caller_hung_up', 'canceled'],
    [{ ...INBOUND, CallStatus: 'no-answer' }, 'caller_hung_up', 'no-answer'],
    [{ ...INBOUND, CallStatus: 'busy' }, 'bot_ended', 'busy'],
    [{ ...INBOUND, CallStatus: 'failed' }, 'telephony_error', 'failed'],
  ],
  answerers: [
    ['human', false],
    ['machine_start', true],
    ['machine_end_beep', true],
    ['machine_end_silence', true],
    ['machine_end_other', true],
    ['fax', true],
    ['unknown', undefined],
    ['', undefined],
  ],
  otherStates: ['initiated', 'ringing', 'completed', 'busy', 'no-answer', 'failed', ''],
  lost: { event: 'stream-error', why: '31920' },
  noCallIds: ['', '../Accounts', 'CA1', `${callId}\n`, callId.replace('CA', 'AC'), `${callId}?`],
});

describe('a dialled third party', () => {
  test.each([
    ['completed', 'in-progress', 'completed'],
    ['completed', 'completed', 'completed'],
    ['answered', 'in-progress', 'completed'],
    ['busy', 'in-progress', 'busy'],
    ['no-answer', 'in-progress', 'no_answer'],
    ['failed', 'in-progress', 'failed'],
    ['canceled', 'in-progress', 'caller_left'],
    ['no-answer', 'completed', 'caller_left'],
    ['failed', 'completed', 'caller_left'],
    ['constructor', 'in-progress', 'failed'],
  ])('that ended as %s while the call is %s: %s', (DialCallStatus, CallStatus, outcome) => {
    expect(parse({ ...INBOUND, CallStatus, DialCallStatus, DialCallSid: legId })).toMatchObject({
      event: 'dial',
      providerCallId: callId,
      dial: { phase: 'ended', outcome, legId, cause: DialCallStatus },
    });
  });

  test('that declined is told apart from one that was busy, where the network says so', () => {
    const { dial } = parse({
      ...INBOUND,
      CallStatus: 'in-progress',
      DialCallStatus: 'busy',
      DialSipResponseCode: '603',
    });
    expect(dial).toEqual({ phase: 'ended', outcome: 'rejected', legId: undefined, cause: 'busy (SIP 603)' });
  });
});

test('shows nothing a terminal obeys, and no more than 256 characters', () => {
  const { from, streamProblem } = parse({
    ...INBOUND,
    From: `\u001b[31m${'x'.repeat(999)}`,
    StreamEvent: 'stream-error',
    StreamError: 'a\u0007\nb',
  });
  expect(from).toBe(`${'x'.repeat(255)}…`);
  expect(streamProblem).toBe('a\ufffd b');
});

test("tells the carrier's own parameters from those of our addresses", () => {
  const names = ['CallSid', 'SipHeader_X', 'bodySHA256', 'user_id', 'token', 'body', 'call_id', 'stream_no', ''];
  expect(names.filter(isTwilioParameter)).toEqual(['CallSid', 'SipHeader_X', 'bodySHA256']);
});
