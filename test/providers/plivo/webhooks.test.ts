import { isPlivoIdentifier } from '../../../src/providers/plivo/identifier.js';
import { isPlivoParameter, parsePlivoWebhook } from '../../../src/providers/plivo/webhooks.js';
import { testDurations } from '../carrier-webhooks.js';

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
    providerCallId: CALL.CallUUID,
    from: '+12025550101',
    to: '+12025550100',
    direction: 'inbound',
  });
});

test('reads a hangup with its cause, source and duration in milliseconds', () => {
  const hangup = { Event: 'Hangup', HangupCause: 'NORMAL_CLEARING', HangupSource: 'Caller', Duration: '17' };
  expect(parse({ ...CALL, ...hangup, Direction: 'outbound' })).toEqual({
    event: 'hangup',
    providerCallId: CALL.CallUUID,
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

testDurations(parse, { ...CALL, Event: 'Hangup' }, 'Duration');

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
  [{ HangupCause: 'BUSY', CallStatus: 'completed' }, 'busy'],
  [{ HangupCause: 'RING_TIMEOUT', CallStatus: 'completed' }, 'no_answer'],
  [{ HangupCause: 'ORIGINATOR_CANCEL' }, 'caller_hung_up'],
  [{ CallStatus: 'busy' }, 'busy'],
  [{ CallStatus: 'no-answer' }, 'no_answer'],
  [{ CallStatus: 'timeout' }, 'no_answer'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'Caller' }, 'caller_hung_up'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'API Request' }, 'bot_ended'],
  [{ HangupCause: 'NORMAL_CLEARING', HangupSource: 'Answer XML' }, 'bot_ended'],
  [{ HangupCauseCode: '4000' }, 'caller_hung_up'],
  [{ CallStatus: 'completed' }, 'caller_hung_up'],
  [{ HangupCause: 'NETWORK_OUT_OF_ORDER', HangupSource: 'Carrier', CallStatus: 'failed' }, 'telephony_error'],
  [{ HangupCauseCode: '6000', CallStatus: 'completed' }, 'limit_reached'],
  [{ HangupCauseCode: '6010', HangupSource: 'Carrier' }, 'no_answer'],
  [{ HangupCauseCode: '4010', HangupSource: 'Answer XML', CallStatus: 'completed' }, 'telephony_error'],
  [{ HangupCauseCode: '7014', HangupSource: 'Error', CallStatus: 'completed' }, 'telephony_error'],
  [{ HangupCauseCode: '6020', HangupSource: 'Plivo', CallStatus: 'completed' }, 'telephony_error'],
  [{ HangupCauseCode: '9100', HangupSource: 'Plivo' }, 'voicemail'],
  [{ HangupCauseCode: '1000', HangupSource: 'API Request', HangupCause: 'ORIGINATOR_CANCEL' }, 'bot_ended'],
  [{ HangupCause: '', CallStatus: 'cancel' }, 'caller_hung_up'],
  [{ HangupCause: 'ORIGINATOR_CANCEL', CallStatus: 'no-answer' }, 'caller_hung_up'],
  [{}, 'telephony_error'],
])('takes a hangup with %j for %s', (parameters, reason) => {
  expect(parse({ Event: 'Hangup', ...(parameters as Record<string, string>) }).hangup?.reason).toBe(reason);
});

describe('the end of a dialled call', () => {
  const outbound = { ...CALL, Event: 'Hangup', Direction: 'outbound' };
  const reasonOf = (parameters: Record<string, string>) => parse({ ...outbound, ...parameters }).hangup?.reason;

  /** One row of the carrier's table: what it may send as code, cause, name of the cause and status. */
  const TABLE = [
    ['no_answer', '3000', 'NO_ANSWER', 'No Answer', 'no-answer'],
    ['busy', '3010', 'USER_BUSY', 'Busy Line', 'busy'],
    ['rejected', '3020', 'CALL_REJECTED', 'Rejected', 'failed'],
    ['rejected', '3110', 'CALL_REJECTED', 'Declined', 'busy'],
    ['no_answer', '6010', 'NO_ANSWER', 'Ring Timeout Reached', 'timeout'],
    ['voicemail', '9100', '', 'Machine Detected', 'completed'],
    ['telephony_error', '2000', 'UNALLOCATED_NUMBER', '', 'failed'],
    ['telephony_error', '5010', 'NETWORK_OUT_OF_ORDER', '', 'failed'],
  ] as const;

  test.each(TABLE)('is %s by its code %s, its cause %j or its name %j', (reason, code, cause, name, status) => {
    // Whatever else is there or missing, and whoever is said to have ended it but us.
    for (const HangupSource of ['', 'Callee', 'Carrier', 'Plivo', 'Error', 'Unknown']) {
      for (const HangupCauseCode of [code, '']) {
        for (const HangupCause of [cause, 'NORMAL_CLEARING', '']) {
          for (const HangupCauseName of [name, '']) {
            for (const CallStatus of [status, 'completed', 'failed', '']) {
              const isTold = HangupCauseCode || HangupCauseName || (cause && HangupCause === cause);
              if (!isTold) continue;
              const sent = { HangupSource, HangupCauseCode, HangupCause, HangupCauseName, CallStatus };
              expect([sent, reasonOf(sent)]).toEqual([sent, reason]);
            }
          }
        }
      }
    }
  });

  test.each([
    ['busy', 'busy'],
    ['no-answer', 'no_answer'],
    ['timeout', 'no_answer'],
    ['failed', 'telephony_error'],
    ['cancel', 'bot_ended'],
    ['completed', 'caller_hung_up'],
    ['', 'telephony_error'],
  ])('goes by the status %j where nothing else is said', (CallStatus, reason) => {
    for (const HangupCause of ['', 'NORMAL_CLEARING', 'SOMETHING_NEW']) {
      for (const HangupCauseCode of ['', '0', '17', 'x']) {
        expect(reasonOf({ CallStatus, HangupCause, HangupCauseCode })).toBe(reason);
      }
    }
  });

  test.each([
    ['1010'],
    ['1020'],
    ['2030'],
    ['2060'],
    ['3030'],
    ['3070'],
    ['3080'],
    ['3090'],
    ['4010'],
    ['5030'],
    ['6020'],
    ['7011'],
    ['8011'],
    ['9000'],
    ['9999'],
  ])('is an error of the network by its code %s, whatever the cause and status say', (HangupCauseCode) => {
    for (const HangupCause of ['', 'USER_BUSY', 'NO_ANSWER', 'NORMAL_CLEARING', 'ORIGINATOR_CANCEL']) {
      for (const CallStatus of ['busy', 'no-answer', 'completed', 'failed', 'cancel']) {
        expect(reasonOf({ HangupCauseCode, HangupCause, CallStatus })).toBe('telephony_error');
      }
    }
  });

  test('is ours when our request or document ended it, before the answer or after', () => {
    for (const HangupSource of ['API Request', 'Answer XML']) {
      for (const HangupCauseCode of ['', '0', '1000', '4000', '3000', '3010', '3020']) {
        for (const HangupCause of ['', 'ORIGINATOR_CANCEL', 'NORMAL_CLEARING', 'NO_ANSWER', 'USER_BUSY']) {
          for (const CallStatus of ['cancel', 'completed', 'no-answer', 'busy', 'failed', '']) {
            const sent = { HangupSource, HangupCauseCode, HangupCause, CallStatus };
            expect([sent, reasonOf(sent)]).toEqual([sent, 'bot_ended']);
          }
        }
      }
    }
  });

  test.each([
    ['6000', 'limit_reached'],
    ['9100', 'voicemail'],
    ['7013', 'telephony_error'],
  ])('is not ours with the code %s, which says more', (HangupCauseCode, reason) => {
    expect(reasonOf({ HangupSource: 'API Request', HangupCauseCode, CallStatus: 'completed' })).toBe(reason);
  });

  test('counts as cancelled by us when the one who began it took it back', () => {
    expect(reasonOf({ HangupCause: 'ORIGINATOR_CANCEL', CallStatus: 'cancel' })).toBe('bot_ended');
    expect(reasonOf({ HangupCause: 'ORIGINATOR_CANCEL', CallStatus: 'no-answer' })).toBe('no_answer');
    expect(reasonOf({ HangupCauseCode: '6010', HangupCause: 'ORIGINATOR_CANCEL' })).toBe('no_answer');
  });
});

describe('news of a dialled third party', () => {
  const leg = 'b1c2d3e4-0000-4000-8000-000000000002';
  const news = { ...CALL, DialALegUUID: CALL.CallUUID, DialBLegUUID: leg };

  test.each([
    [{ DialAction: 'answer' }],
    [{ DialAction: 'connected' }],
    [{ Event: 'DialAnswer' }],
    [{ Event: 'DialConnected' }],
    [{ Event: 'DialAnswer', DialAction: 'answer', DialBLegStatus: 'answer' }],
  ])('says that it answered: %j', (parameters) => {
    for (const CallStatus of ['in-progress', 'completed', 'ringing', '']) {
      expect(parse({ ...news, ...(parameters as object), DialBLegTo: '12025550102', CallStatus })).toEqual({
        event: 'dial',
        providerCallId: CALL.CallUUID,
        from: '+12025550101',
        to: '+12025550100',
        direction: 'inbound',
        dial: { phase: 'answered', legId: leg, to: '+12025550102' },
      });
    }
  });

  test.each([
    [{ DialAction: 'hangup', DialBLegHangupCause: 'USER_BUSY', DialBLegStatus: 'hangup' }],
    [{ Event: 'DialHangup' }],
    [{ Event: 'DialHangup', DialStatus: 'completed' }],
    [{ DialAction: 'digits' }],
    [{ Event: 'DialDigits', DialAction: 'digits' }],
  ])('leaves it to the next document how it ended: %j', (parameters) => {
    const webhook = parse({
      ...news,
      ...(parameters as object),
      CallStatus: 'completed',
      HangupCause: 'NORMAL_CLEARING',
    });
    expect(webhook).toMatchObject({ event: 'dial', dial: { phase: 'other' } });
    expect(webhook.hangup).toBeUndefined();
  });

  test.each([
    ['completed', 'NORMAL_CLEARING', leg, 'completed'],
    ['completed', '', leg, 'completed'],
    ['completed', 'NORMAL_CLEARING', '', 'failed'],
    ['completed', 'NORMAL_CLEARING', '../x', 'failed'],
    ['completed', 'NO_ANSWER', '', 'no_answer'],
    ['completed', 'CALL_REJECTED', '', 'rejected'],
    ['busy', 'USER_BUSY', '', 'busy'],
    ['busy', '', '', 'busy'],
    ['busy', 'CALL_REJECTED', '', 'rejected'],
    ['failed', 'CALL_REJECTED', '', 'rejected'],
    ['no-answer', 'CALL_REJECTED', leg, 'rejected'],
    ['failed', 'USER_BUSY', '', 'busy'],
    ['failed', 'NO_USER_RESPONSE', '', 'no_answer'],
    ['failed', 'UNALLOCATED_NUMBER', '', 'failed'],
    ['failed', '', leg, 'failed'],
    ['no-answer', 'NO_ANSWER', '', 'no_answer'],
    ['timeout', 'ORIGINATOR_CANCEL', '', 'no_answer'],
    ['cancel', 'ORIGINATOR_CANCEL', '', 'caller_left'],
    ['cancel', '', leg, 'caller_left'],
    ['paused', '', '', 'failed'],
  ])(
    'takes the status %s with the cause %j and the leg %j for %4$s',
    (DialStatus, DialHangupCause, DialBLegUUID, outcome) => {
      const legId = DialBLegUUID === leg ? leg : undefined;
      for (const CallStatus of ['in-progress', 'completed', 'failed', 'ringing']) {
        for (const Event of [undefined, '', 'Redirect', 'StartApp']) {
          const sent = {
            ...news,
            DialStatus,
            DialHangupCause,
            DialBLegUUID,
            CallStatus,
            ...(Event !== undefined && { Event }),
          };
          expect(parse(sent)).toEqual({
            event: 'dial',
            providerCallId: CALL.CallUUID,
            from: '+12025550101',
            to: '+12025550100',
            direction: 'inbound',
            dial: { phase: 'ended', outcome, legId, cause: DialHangupCause || DialStatus },
          });
        }
      }
    },
  );

  test("belongs to the caller's call, even when it goes by the third party's", () => {
    expect(parse({ ...news, CallUUID: leg, DialAction: 'answer' }).providerCallId).toBe(CALL.CallUUID);
    expect(parse({ ...news, DialALegUUID: '../x', DialAction: 'answer' }).providerCallId).toBe(CALL.CallUUID);
    expect(parse({ ...news, DialALegUUID: '', DialStatus: 'busy' }).providerCallId).toBe(CALL.CallUUID);
  });

  test('does not hide that the call itself is over', () => {
    const hangup = { Event: 'Hangup', DialStatus: 'completed', HangupCause: 'NORMAL_CLEARING', HangupSource: 'Caller' };
    expect(parse({ ...news, ...hangup })).toMatchObject({ event: 'hangup', hangup: { reason: 'caller_hung_up' } });
    expect(parse({ ...news, Event: 'Hangup' }).dial).toBeUndefined();
  });

  test('is not read into a webhook whose parameters for it are empty', () => {
    expect(parse({ ...CALL, DialStatus: '', DialAction: '', Event: 'StartApp' }).event).toBe('answer');
  });
});

describe('machine detection', () => {
  test.each([
    [{ Machine: 'true' }, true],
    [{ Machine: 'True' }, true],
    [{ IfMachine: 'true' }, true],
    [{ Machine: 'false' }, false],
    [{ IfMachine: 'false' }, false],
    [{}, false],
  ])('reads %j', (parameters, isMachine) => {
    const sent = { ...CALL, Event: 'MachineDetection', CallStatus: 'in-progress', ...(parameters as object) };
    expect(parse(sent)).toMatchObject({ event: 'machine_detection', isMachine });
  });

  test.each(['in-progress', 'completed', 'ringing', ''])(
    'is recognised without an event, in spite of the status %j',
    (CallStatus) => {
      expect(parse({ ...CALL, Machine: 'true', CallStatus })).toMatchObject({
        event: 'machine_detection',
        isMachine: true,
      });
    },
  );

  test('is not what an answer or a hang-up that mentions it is about', () => {
    expect(parse({ ...CALL, Event: 'StartApp', Machine: 'true' }).event).toBe('answer');
    const hangup = parse({ ...CALL, Machine: 'true', CallStatus: 'completed', HangupCauseCode: '9100' });
    expect(hangup).toMatchObject({ event: 'hangup', hangup: { reason: 'voicemail' } });
    expect(hangup.isMachine).toBeUndefined();
  });
});

test.each(['CallUUID', 'From', 'Event', 'X-PH-user', 'SIP-H-To', 'STIRVerification', 'ALegUUID', 'DialBLegTo'])(
  'takes the parameter %s for one of the carrier',
  (name) => {
    expect(isPlivoParameter(name)).toBe(true);
  },
);

test.each(['user_id', 'session_type', 'token', 'call_id', '_x', '', 'x-ph-user', 'éa', '1'])(
  'takes the parameter %j for one of an address we gave',
  (name) => {
    expect(isPlivoParameter(name)).toBe(false);
  },
);

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
  expect(parse({})).toEqual({
    event: 'other',
    providerCallId: undefined,
    from: undefined,
    to: '',
    direction: 'inbound',
  });
});

test.each(['', '.', '..', '../Call', 'a/b', 'a%2Fb', 'a b', 'a\n', 'ä', 'x'.repeat(65)])(
  'refuses the call id %j',
  (id) => {
    expect(parse({ ...CALL, CallUUID: id }).providerCallId).toBeUndefined();
    expect(isPlivoIdentifier(id)).toBe(false);
  },
);

test.each(['c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44', 'A_b-9', 'x'.repeat(64)])('takes the call id %j', (id) => {
  expect(isPlivoIdentifier(id)).toBe(true);
});

test('what it says is text of one line, of 256 characters at most', () => {
  const evil = '\u001b]0;x\u0007\u001b[31ma\u202e\nb';
  const lost = parse({ ...CALL, From: evil, To: '9'.repeat(5_000), Event: 'failed', StatusReason: evil });
  expect(lost).toMatchObject({ from: 'a b', streamProblem: 'a b' });
  expect(lost.to).toHaveLength(256);
  const ended = parse({ ...CALL, Event: 'Hangup', HangupCauseName: evil, HangupSource: evil });
  expect(ended.hangup).toMatchObject({ cause: 'a b', source: 'a b' });
});
