import { isPlivoIdentifier } from '../../../src/carriers/plivo/identifier.js';
import { parsePlivoWebhook } from '../../../src/carriers/plivo/webhook.js';

const parse = (parameters: Record<string, string>) => parsePlivoWebhook(new Map(Object.entries(parameters)));
const CALL = {
  CallUUID: 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44',
  From: '12025550101',
  To: '12025550100',
  Direction: 'inbound',
};

test('reads an inbound answer request', () => {
  expect(parse({ ...CALL, Event: 'StartApp', CallStatus: 'ringing', BillRate: '0.0' })).toEqual({
    event: 'answer',
    callId: CALL.CallUUID,
    from: '+12025550101',
    to: '+12025550100',
    direction: 'inbound',
  });
});

test('reads a hangup with its cause, source and duration in milliseconds', () => {
  const hangup = { Event: 'Hangup', HangupCause: 'NORMAL_CLEARING', HangupSource: 'Caller', Duration: '17' };
  expect(parse({ ...CALL, ...hangup, Direction: 'outbound' })).toEqual({
    event: 'hangup',
    callId: CALL.CallUUID,
    from: '+12025550101',
    to: '+12025550100',
    direction: 'outbound',
    hangup: { reason: 'caller_hung_up', cause: 'NORMAL_CLEARING', source: 'Caller', durationMs: 17_000 },
  });
});

test.each([
  ['StartApp', 'answer'],
  ['Ring', 'ring'],
  ['Hangup', 'hangup'],
  ['Redirect', 'continue'],
  ['MachineDetection', 'machine_detection'],
  ['StartStream', 'other'],
  ['constructor', 'other'],
])('takes the event %s as %s, whatever the status', (Event, event) => {
  expect(parse({ ...CALL, Event, CallStatus: 'completed' }).event).toBe(event);
});

test.each([
  ['ringing', 'inbound', 'answer'],
  ['ringing', 'outbound', 'ring'],
  ['in-progress', 'outbound', 'answer'],
  ['completed', 'inbound', 'hangup'],
  ['busy', 'outbound', 'hangup'],
  ['failed', 'outbound', 'hangup'],
  ['timeout', 'outbound', 'hangup'],
  ['no-answer', 'outbound', 'hangup'],
  ['cancel', 'inbound', 'hangup'],
  ['', 'inbound', 'other'],
  ['paused', 'inbound', 'other'],
])('without an event, takes the status %j of an %s call as %s', (CallStatus, Direction, event) => {
  expect(parse({ ...CALL, CallStatus, Direction }).event).toBe(event);
  expect(parse({ ...CALL, CallStatus, Direction, Event: '' }).event).toBe(event);
});

test.each(['', 'soon', '-1', '1.5', '1e3', '9'.repeat(40)])('does not make a duration out of %j', (Duration) => {
  expect(parse({ ...CALL, Event: 'Hangup', Duration }).hangup?.durationMs).toBeUndefined();
});

test('names the cause of a hangup as well as the carrier did', () => {
  const causeOf = (parameters: Record<string, string>) => parse({ Event: 'Hangup', ...parameters }).hangup?.cause;
  expect(causeOf({ HangupCause: 'USER_BUSY', HangupCauseName: 'Busy Line', CallStatus: 'busy' })).toBe('USER_BUSY');
  expect(causeOf({ HangupCause: '', HangupCauseName: 'Busy Line', CallStatus: 'busy' })).toBe('Busy Line');
  expect(causeOf({ CallStatus: 'no-answer' })).toBe('no-answer');
  expect(causeOf({})).toBe('unknown');
});

test.each([
  [{ HangupCause: 'USER_BUSY', HangupSource: 'Callee' }, 'busy'],
  [{ HangupCause: 'NO_ANSWER', HangupSource: 'Carrier' }, 'no_answer'],
  [{ HangupCause: 'CALL_REJECTED' }, 'rejected'],
  [{ HangupCause: 'ORIGINATOR_CANCEL' }, 'caller_hung_up'],
  [{ CallStatus: 'busy' }, 'busy'],
  [{ CallStatus: 'no-answer' }, 'no_answer'],
  [{ CallStatus: 'timeout' }, 'no_answer'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'Caller' }, 'caller_hung_up'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'API Request' }, 'bot_ended'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'Answer XML' }, 'bot_ended'],
  [{ HangupCauseCode: '4000' }, 'caller_hung_up'],
  [{ CallStatus: 'completed' }, 'caller_hung_up'],
  [{ HangupCause: 'NETWORK_OUT_OF_ORDER', HangupSource: 'Carrier', CallStatus: 'failed' }, 'provider_error'],
  [{ HangupCauseCode: '6000', CallStatus: 'completed' }, 'limit_reached'],
  [{ HangupCauseCode: '6010', HangupSource: 'Carrier' }, 'no_answer'],
  [{ HangupCauseCode: '4010', HangupSource: 'Answer XML', CallStatus: 'completed' }, 'provider_error'],
  [{ HangupCauseCode: '7014', HangupSource: 'Error', CallStatus: 'completed' }, 'provider_error'],
  [{ HangupCauseCode: '6020', HangupSource: 'Plivo', CallStatus: 'completed' }, 'provider_error'],
  [{ HangupCauseCode: '9100', HangupSource: 'Plivo' }, 'voicemail'],
  [{ HangupCauseCode: '1000', HangupSource: 'API Request', HangupCause: 'ORIGINATOR_CANCEL' }, 'bot_ended'],
  [{}, 'provider_error'],
])('takes a hangup with %j for %s', (parameters, reason) => {
  expect(parse({ Event: 'Hangup', ...(parameters as Record<string, string>) }).hangup?.reason).toBe(reason);
});

test.each([
  [{ Event: 'DroppedStream' }, 'DroppedStream'],
  [{ Event: 'failed', StatusReason: 'connection_failed' }, 'connection_failed'],
  [{ Event: 'StopStream' }, undefined],
  [{ Event: 'started' }, undefined],
])('takes the stream status %j for the problem %s', (parameters, problem) => {
  expect(parse({ ...CALL, ...(parameters as Record<string, string>) }).streamProblem).toBe(problem);
});

test('leaves addresses that are no telephone numbers as they are', () => {
  expect(parse({ ...CALL, From: 'sip:alice@example.com', To: '+12025550100' })).toMatchObject({
    from: 'sip:alice@example.com',
    to: '+12025550100',
  });
  expect(parse({})).toEqual({ event: 'other', callId: undefined, from: '', to: '', direction: 'inbound' });
});

test.each(['', '.', '..', '../Call', 'a/b', 'a%2Fb', 'a b', 'a\n', 'ä', 'x'.repeat(65)])(
  'refuses the call id %j',
  (id) => {
    expect(parse({ ...CALL, CallUUID: id }).callId).toBeUndefined();
    expect(isPlivoIdentifier(id)).toBe(false);
  },
);

test.each(['c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44', 'A_b-9', 'x'.repeat(64)])('takes the call id %j', (id) => {
  expect(isPlivoIdentifier(id)).toBe(true);
});
