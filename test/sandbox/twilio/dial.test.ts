import { hurried } from '../../hasty-clock.js';
import { CALLER } from '../fake-caller.js';
import { ACCOUNT_SID, inTwilioCall, PAUSE, type TwilioCall } from './twilio-sandbox.js';

hurried();

const dialling = (to: string, events?: string) => (application: TwilioCall['application']) =>
  `<Dial action="${application.url('/dialled')}" timeout="20"><Number statusCallback="${application.url('/leg')}" ${
    events === undefined ? '' : `statusCallbackEvent="${events}"`
  }>${to}</Number></Dial>${PAUSE}`;

/** What is told of the number that a call dials, and at the end of that: the call's own last news comes after all of it. */
async function newsOf({ application, caller }: TwilioCall) {
  const dialled = await application.requested('/dialled');
  caller.client.hangUp();
  await application.requested('/status');
  const legs = application.webhooks.all.filter(({ path }) => path === '/leg');
  return {
    dialled: Object.fromEntries(dialled.parameters),
    legs: legs.map(({ parameters }) => Object.fromEntries(parameters)),
  };
}

test('news of a dialled number comes in the words of the carrier, under its own identifier', () =>
  inTwilioCall(dialling('+12025550107', 'answered completed'), async (call) => {
    const { callSid } = call;
    const {
      dialled,
      legs: [answered, completed, ...others],
    } = await newsOf(call);
    expect(others).toEqual([]);
    const { CallSid: legSid, ...told } = answered ?? {};
    expect(legSid).toMatch(/^CA[0-9a-f]{32}$/);
    expect(legSid).not.toBe(callSid);
    expect(told).toEqual({
      AccountSid: ACCOUNT_SID,
      ApiVersion: '2010-04-01',
      ParentCallSid: callSid,
      CallStatus: 'in-progress',
      Direction: 'outbound-dial',
      From: CALLER,
      Caller: CALLER,
      To: '+12025550107',
      Called: '+12025550107',
      CallbackSource: 'call-progress-events',
      SequenceNumber: '2',
      Timestamp: expect.stringMatching(/ \+0000$/),
    });
    expect(completed).toMatchObject({
      CallSid: legSid,
      ParentCallSid: callSid,
      CallStatus: 'completed',
      CallDuration: expect.stringMatching(/^\d+$/),
      SipResponseCode: '200',
    });
    expect(dialled).toMatchObject({
      CallSid: callSid,
      CallStatus: 'in-progress',
      Direction: 'inbound',
      DialCallStatus: 'completed',
      DialCallSid: legSid,
      DialCallDuration: expect.stringMatching(/^\d+$/),
      DialBridged: 'true',
    });
  }));

test.each([
  ['+12025550102', 'busy', '486'],
  ['+12025550104', 'busy', '603'],
  ['+12025550108', 'failed', '503'],
])('a number that cannot be reached, %s, is %s with %s', (to, status, sipCode) =>
  inTwilioCall(dialling(to, 'answered completed'), async (call) => {
    const { dialled, legs } = await newsOf(call);
    expect(dialled).toMatchObject({
      DialCallStatus: status,
      DialSipResponseCode: sipCode,
      DialBridged: 'false',
    });
    expect(legs.map((leg) => leg.CallStatus)).toEqual([status]);
  }),
);

test.each([
  [undefined, ['completed']],
  ['initiated ringing', []],
  ['answered', ['in-progress']],
])('of the events "%s" it tells %j', (events, told) =>
  inTwilioCall(dialling('+12025550107', events), async (call) => {
    const { legs } = await newsOf(call);
    expect(legs.map((leg) => leg.CallStatus)).toEqual(told);
  }),
);

test.each([
  ['<Reject/>', 'no-answer'],
  ['<Reject reason="busy"/>', 'busy'],
])('%s ends a call unanswered, as %s', (document, status) =>
  inTwilioCall(
    () => document,
    async ({ application, caller, asked }) => {
      expect(asked.parameters.get('CallStatus')).toBe('ringing');
      expect(await caller.ended()).toMatchObject({ durationMs: 0 });
      const { parameters } = await application.requested('/status');
      expect(Object.fromEntries(parameters)).toMatchObject({ CallStatus: status, CallDuration: '0' });
    },
  ),
);

test('a caller who hangs up before the answer has cancelled the call', () =>
  inTwilioCall(
    (application) => {
      application.routes.set('/answer', () => new Promise(() => {}));
      return undefined;
    },
    async ({ application, caller }) => {
      caller.client.hangUp();
      const { parameters } = await application.requested('/status');
      expect(parameters.get('CallStatus')).toBe('canceled');
    },
  ));

test('a document that cannot be read ends a call that was answered with an error code', () =>
  inTwilioCall(
    (application) => `<Pause/><Redirect>${application.url('/next')}</Redirect>`,
    async ({ application }) => {
      application.document('/next', '<Speak>Hello</Speak>');
      const { parameters } = await application.requested('/status');
      expect(Object.fromEntries(parameters)).toMatchObject({ CallStatus: 'completed', ErrorCode: '12100' });
    },
  ));
