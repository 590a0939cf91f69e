import { FakeApplication } from '../fake-application.js';
import { AUTH_TOKEN, startFastSandbox } from '../fake-caller.js';
import { type AnsweredCall, inCall } from '../in-call.js';
import { restClient } from '../rest.js';

const isLoud = (frame: Uint8Array): boolean => frame.some((byte) => (byte & 0x7f) < 0x60);

/** A `<Dial>` that reports to the application under `/action` and `/dial`. */
function dialVerb(application: FakeApplication, numbers: string, attributes = ''): string {
  const addresses = `action="${application.url('/action')}" callbackUrl="${application.url('/dial')}"`;
  return `<Dial callerId="12025550100" ${addresses} ${attributes}>${numbers}</Dial>`;
}

const number = (digits: string): string => `<Number>${digits}</Number>`;

/** Events of the requests so far, in the order of their arrival. */
const events = ({ application }: Pick<AnsweredCall, 'application'>): (string | null)[] =>
  application.webhooks.all.map(({ path, parameters }) => parameters.get('Event') ?? path);

test('connects the caller with the number that answers, tells how it goes, and asks the action what is next', () =>
  inCall(
    (application) => dialVerb(application, number('12025550107')),
    async (call) => {
      const { application, caller, callId } = call;
      application.document('/action', '<Hangup/>');
      expect((await caller.progress('dial', true)).text).toBe('dialling +12025550107');
      const common = {
        CallUUID: callId,
        From: '12025550142',
        To: '12025550100',
        Direction: 'inbound',
        CallStatus: 'in-progress',
        DialALegUUID: callId,
        DialBLegFrom: '12025550100',
        DialBLegTo: '12025550107',
        DialBLegPosition: '1',
      };
      const answered = await application.webhook('DialAnswer');
      expect(answered).toMatchObject({ path: '/dial', method: 'POST', isSigned: true });
      expect(Object.fromEntries(answered.parameters)).toMatchObject({
        ...common,
        DialAction: 'answer',
        DialBLegStatus: 'answer',
      });
      const legId = answered.parameters.get('DialBLegUUID');
      expect(legId).not.toBe(callId);
      const connected = await application.webhook('DialConnected');
      expect(Object.fromEntries(connected.parameters)).toMatchObject({
        ...common,
        DialAction: 'connected',
        DialBLegUUID: legId,
        DialBLegStatus: 'connected',
      });
      expect((await caller.progress('dial', true)).text).toBe('connected with +12025550107');
      const hungUp = await application.webhook('DialHangup');
      expect(Object.fromEntries(hungUp.parameters)).toMatchObject({
        ...common,
        DialAction: 'hangup',
        DialBLegUUID: legId,
        DialBLegStatus: 'hangup',
        DialBLegDuration: '1',
        DialBLegHangupCause: 'NORMAL_CLEARING',
        DialBLegHangupCauseName: 'Normal Hangup',
      });
      expect(hungUp.parameters.has('HangupCause')).toBe(false);
      const action =
        application.webhooks.all.find(({ path }) => path === '/action') ?? (await application.requested('/action'));
      expect(action).toMatchObject({ method: 'POST', isSigned: true });
      expect(Object.fromEntries(action.parameters)).toMatchObject({
        CallUUID: callId,
        CallStatus: 'in-progress',
        DialStatus: 'completed',
        DialRingStatus: 'true',
        DialHangupCause: 'NORMAL_CLEARING',
        DialALegUUID: callId,
        DialBLegUUID: legId,
      });
      expect(action.parameters.has('Event')).toBe(false);
      expect(await caller.ended()).toMatchObject({ code: 4000, source: 'Answer XML' });
      expect(call.sandbox.placedCalls).toEqual(new Map([['+12025550107', 1]]));
    },
  ));

test.each([
  ['12025550102', '', 'busy', 'USER_BUSY', 'false'],
  ['12025550103', 'timeout="2"', 'timeout', 'NO_ANSWER', 'true'],
  ['12025550104', '', 'busy', 'CALL_REJECTED', 'true'],
  ['12025550108', '', 'failed', 'NORMAL_TEMPORARY_FAILURE', 'true'],
])('tells the action that %s %s is not reached: %s', (to, attributes, status, cause, hasRung) =>
  inCall(
    (application) => dialVerb(application, number(to), attributes),
    async (call) => {
      const { application, caller } = call;
      application.document('/action', '');
      const { parameters } = await application.requested('/action');
      expect(Object.fromEntries(parameters)).toMatchObject({
        DialStatus: status,
        DialHangupCause: cause,
        DialRingStatus: hasRung,
        DialBLegUUID: '',
      });
      expect((await caller.progress('dial', false)).text).toBe(`dial ${status}: ${cause}`);
      expect((await caller.ended()).code).toBe(4010);
      await application.webhook('Hangup');
      const hungUp = application.webhooks.all.find((webhook) => webhook.parameters.get('Event') === 'DialHangup');
      expect(hungUp?.parameters.get('DialBLegHangupCause')).toBe(cause);
      expect(events(call)).not.toContain('DialAnswer');
    },
  ),
);

test('a number that nobody answers gives up by itself after a minute', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', dialVerb(application, number('12025550103')));
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.2 } });
  await restClient(sandbox.apiUrl).post('Call/', {
    from: '12025550100',
    to: '12025550101',
    answer_url: application.url('/answer'),
  });
  expect((await application.requested('/action')).parameters.get('DialStatus')).toBe('no-answer');
});

test('plays ringback while it rings, then lets each hear the other', () =>
  inCall(
    // Asks who is calling, waits until it hears somebody, and only then talks on.
    (application) => dialVerb(application, number('12025550106')),
    async ({ application, caller }) => {
      await caller.progress('dial', true);
      await caller.heard.next(isLoud);
      await application.webhook('DialConnected');
      await caller.progress('dial', true);
      await caller.heard.next(isLoud);
      for (let quiet = 0; quiet < 100; ) quiet = isLoud(await caller.heard.next()) ? 0 : quiet + 1;
      // Somebody speaks for a second.
      const silence = caller.says(0);
      const speech = Uint8Array.from({ length: 160 }, (_, n) => (n % 16 < 8 ? 0x20 : 0xa0));
      let frames = 0;
      caller.says = () => (frames++ < 50 ? speech : silence);
      await caller.heard.next(isLoud);
      expect(frames).toBeGreaterThan(50);
    },
  ));

test('carries every frame of the dialled party to the caller', () =>
  inCall(
    (application) => dialVerb(application, number('12025550105')),
    async ({ caller }) => {
      // The voicemail's beep: half a second of 1000 Hz, which repeats every 8 samples.
      const isBeep = (frame: Uint8Array): boolean =>
        isLoud(frame) && Buffer.from(frame.subarray(8)).equals(frame.subarray(0, -8));
      await caller.heard.next(isBeep, 10_000);
      for (let frame = 2; frame <= 25; frame += 1) expect(isBeep(await caller.heard.next())).toBe(true);
    },
  ));

test('takes the answer of a redirecting action as the next document, another one as read', () =>
  inCall(
    (application) =>
      `${dialVerb(application, number('12025550102'), 'redirect="false" method="GET"')}<Wait/>${dialVerb(application, number('12025550102'))}`,
    async ({ application, caller }) => {
      application.document('/action', '<Speak>Sorry.</Speak>');
      expect(await application.requested('/action')).toMatchObject({ method: 'GET', isSigned: true });
      await caller.progress('wait', true);
      expect(await application.requested('/action')).toMatchObject({ method: 'POST' });
      await caller.progress('speak', true);
      expect(caller.events.all.filter((event) => event.type === 'progress' && event.line.hop === 'speak')).toHaveLength(
        1,
      );
      await caller.ended();
    },
  ));

test('goes on with the document when there is no action, and shows the caller as calling when there is no callerId', () =>
  inCall(
    (application) => `<Dial callbackUrl="${application.url('/dial')}"><Number>+12025550104</Number></Dial><Hangup/>`,
    async ({ application, caller }) => {
      expect((await caller.ended()).code).toBe(4000);
      const { parameters } = await application.webhook('DialHangup');
      expect(parameters.get('DialBLegFrom')).toBe('12025550142');
      expect(parameters.get('DialBLegTo')).toBe('12025550104');
    },
  ));

test('cancels the dialled call when the caller hangs up while it rings', () =>
  inCall(
    (application) => dialVerb(application, number('12025550103')),
    async (call) => {
      await call.caller.progress('dial', true);
      call.caller.client.hangUp();
      const { parameters } = await call.application.webhook('DialHangup');
      expect(Object.fromEntries(parameters)).toMatchObject({
        CallStatus: 'completed',
        DialBLegHangupCause: 'ORIGINATOR_CANCEL',
        DialBLegDuration: '0',
      });
      await call.application.webhook('Hangup');
      expect(events(call)).toEqual(['StartApp', 'DialHangup', 'Hangup']);
    },
  ));

test('ends the dialled call, then the call itself, when the caller hangs up in the conversation', () =>
  inCall(
    (application) => dialVerb(application, number('12025550101')),
    async (call) => {
      await call.application.webhook('DialConnected');
      call.caller.client.hangUp();
      const { parameters } = await call.application.webhook('DialHangup');
      expect(parameters.get('DialBLegHangupCause')).toBe('NORMAL_CLEARING');
      await call.application.webhook('Hangup');
      expect(events(call)).toEqual(['StartApp', 'DialAnswer', 'DialConnected', 'DialHangup', 'Hangup']);
      expect(call.sandbox.liveCalls).toBe(0);
    },
  ));

test('ends the dialled call with a call that is ended by the API', () =>
  inCall(
    (application) => dialVerb(application, number('12025550103')),
    async (call) => {
      await call.caller.progress('dial', true);
      expect((await call.rest.delete(`Call/${call.callId}/`)).status).toBe(204);
      await call.application.webhook('DialHangup');
      await call.application.webhook('Hangup');
      expect(events(call)).not.toContain('/action');
    },
  ));

test('ends the conversation after the timeLimit', () =>
  inCall(
    (application) => dialVerb(application, number('12025550101'), 'timeLimit="2"'),
    async ({ application, caller }) => {
      const { parameters } = await application.requested('/action');
      expect(parameters.get('DialStatus')).toBe('completed');
      expect(parameters.get('DialHangupCause')).toBe('ALLOTTED_TIMEOUT');
      await caller.ended();
    },
  ));

test('hangs up on the dialled party without asking the action when the call is transferred away', () =>
  inCall(
    (application) => dialVerb(application, number('12025550101')),
    async (call) => {
      const { application, callId, caller, rest } = call;
      application.document('/transfer', '<Wait length="1"/><Hangup/>');
      await application.webhook('DialConnected');
      await rest.post(`Call/${callId}/`, { aleg_url: application.url('/transfer') });
      await application.requested('/transfer');
      expect((await caller.ended()).code).toBe(4000);
      await application.webhook('Hangup');
      expect(events(call)).toContain('DialHangup');
      expect(events(call)).not.toContain('/action');
    },
  ));

test('rings several numbers at once and gives the others up when one answers', () =>
  inCall(
    (application) => dialVerb(application, ['12025550103', '12025550107', '12025550102'].map(number).join('')),
    async ({ application, caller, sandbox }) => {
      application.document('/action', '');
      const answered = await application.webhook('DialAnswer');
      expect(answered.parameters.get('DialBLegPosition')).toBe('2');
      const { parameters } = await application.requested('/action');
      expect(parameters.get('DialStatus')).toBe('completed');
      expect(parameters.get('DialBLegUUID')).toBe(answered.parameters.get('DialBLegUUID'));
      await caller.ended();
      await application.webhook('Hangup');
      const ends = application.webhooks.all
        .filter((webhook) => webhook.parameters.get('Event') === 'DialHangup')
        .map((webhook) => [webhook.parameters.get('DialBLegPosition'), webhook.parameters.get('DialBLegHangupCause')]);
      expect(new Map(ends as [string, string][])).toEqual(
        new Map([
          ['1', 'LOSE_RACE'],
          ['2', 'NORMAL_CLEARING'],
          ['3', 'USER_BUSY'],
        ]),
      );
      expect(sandbox.placedCalls.size).toBe(3);
    },
  ));

test('sends digits of the API to the party they are for', () =>
  inCall(
    (application) => dialVerb(application, number('12025550106')),
    async ({ application, callId, caller, rest }) => {
      await caller.progress('dial', true);
      expect((await rest.post(`Call/${callId}/DTMF/`, { digits: '1', leg: 'bleg' })).status).toBe(400);
      await application.webhook('DialConnected');
      await caller.progress('dial', true);
      await caller.heard.next(isLoud);
      for (let quiet = 0; quiet < 100; ) quiet = isLoud(await caller.heard.next()) ? 0 : quiet + 1;
      // It takes the tones for somebody who speaks, and talks on.
      expect((await rest.post(`Call/${callId}/DTMF/`, { digits: '123', leg: 'bleg' })).status).toBe(202);
      await caller.heard.next(isLoud);
    },
  ));

test.each([
  [{ status: 404, body: '' }, 7012],
  [{ body: '<Response><Say/></Response>' }, 8012],
])('ends the call when the action is unusable: %j', (reply, code) =>
  inCall(
    (application) => dialVerb(application, number('12025550102')),
    async ({ application, caller }) => {
      application.routes.set('/action', reply);
      expect((await caller.ended()).code).toBe(code);
    },
  ),
);

test('names what it cannot dial and goes on', () =>
  inCall(
    () => '<Dial><User>sip:a@example.com</User></Dial><Hangup/>',
    async ({ caller }) => {
      expect((await caller.progress('document', false)).text).toContain('<User>');
      expect((await caller.progress('dial', false)).text).toContain('names no number');
      expect((await caller.ended()).code).toBe(4000);
    },
  ));
