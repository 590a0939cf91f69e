import { encodeWav } from '../../src/base/audio/wav.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, startFastSandbox } from './fake-caller.js';
import { inCall } from './in-call.js';
import { restClient } from './rest.js';

test('runs when the stream ends, in place of what follows the stream', () =>
  inCall(
    (application) => `${application.streamVerb()}<Redirect>${application.url('/resume')}</Redirect>`,
    async ({ application, caller, callId, rest }) => {
      application.document('/transfer', '<Hangup/>');
      const bot = await application.streams.next();
      await bot.event('start');
      const answer = await rest.post(`Call/${callId}/`, { legs: 'aleg', aleg_url: application.url('/transfer') });
      expect(answer).toMatchObject({ status: 202, body: { message: 'call transferred', call_uuids: [callId] } });
      for (let frame = 0; frame < 50; frame += 1) await bot.event('media');
      const paths = (): string[] => application.webhooks.all.map(({ path }) => path);
      expect(paths()).not.toContain('/transfer');
      bot.close();
      const transfer = await application.requested('/transfer');
      expect(transfer).toMatchObject({ method: 'POST', isSigned: true });
      expect(transfer.parameters.get('CallUUID')).toBe(callId);
      expect(transfer.parameters.get('CallStatus')).toBe('in-progress');
      expect(transfer.parameters.has('Event')).toBe(false);
      expect(await caller.ended()).toMatchObject({ code: 4000, source: 'Answer XML' });
      expect(paths()).not.toContain('/resume');
    },
  ));

test.each([
  ['wait', () => '<Wait length="3600"/>'],
  ['play', (application: FakeApplication) => `<Play>${application.url('/long.wav')}</Play>`],
  ['speak', () => `<Speak>${'This takes a while. '.repeat(40)}</Speak>`],
  [
    'wait',
    (application: FakeApplication) =>
      `${application.streamVerb().replace('keepCallAlive="true"', '')}<Wait length="3600"/>`,
  ],
] as const)('interrupts a %s at once', (hop, verbs) =>
  inCall(
    (application) => {
      const samples = new Int16Array(8_000 * 600).fill(5_000);
      const body = encodeWav({ sampleRate: 8_000, channels: [samples], encoding: 'PCMU' });
      application.routes.set('/long.wav', { contentType: 'audio/wav', body });
      return `${verbs(application)}<Redirect>${application.url('/after')}</Redirect>`;
    },
    async ({ application, caller, callId, rest }) => {
      application.document('/transfer', '<Wait length="1"/><Hangup/>');
      await caller.progress(hop, true);
      await rest.post(`Call/${callId}/`, { aleg_url: application.url('/transfer'), aleg_method: 'GET' });
      expect(await application.requested('/transfer')).toMatchObject({ method: 'GET', isSigned: true });
      await caller.progress('wait', true);
      const heardAtWait = caller.heard.all.length;
      expect((await caller.ended()).code).toBe(4000);
      const isSilent = (frame: Uint8Array): boolean => frame.every((byte) => byte === 0xff);
      expect(caller.heard.all.slice(heardAtWait + 2).every(isSilent)).toBe(true);
      expect(application.webhooks.all.map(({ path }) => path)).not.toContain('/after');
      expect(caller.events.all.some((event) => event.type === 'progress' && !event.line.ok)).toBe(false);
    },
  ),
);

test('works again and again', () =>
  inCall(
    () => '<Wait length="3600"/>',
    async ({ application, caller, callId, rest }) => {
      application.document('/wait', '<Wait length="3600"/>');
      application.document('/end', '');
      await caller.progress('wait', true);
      for (let time = 0; time < 3; time += 1) {
        await rest.post(`Call/${callId}/`, { aleg_url: application.url('/wait') });
        await application.requested('/wait');
        await caller.progress('wait', true);
      }
      await rest.post(`Call/${callId}/`, { aleg_url: application.url('/end') });
      expect((await caller.ended()).code).toBe(4010);
    },
  ));

test.each([
  [{ status: 500, body: '' }, 7013],
  [{ body: 'nonsense' }, 8013],
])('ends the call when the document is unusable: %j', (reply, code) =>
  inCall(
    () => '<Wait length="3600"/>',
    async ({ application, caller, callId, rest }) => {
      application.routes.set('/transfer', reply);
      await caller.progress('wait', true);
      await rest.post(`Call/${callId}/`, { aleg_url: application.url('/transfer') });
      expect((await caller.progress('transfer', false)).url).toBe(application.url('/transfer'));
      expect((await caller.ended()).code).toBe(code);
    },
  ),
);

test.each([
  [{ legs: 'bleg', aleg_url: 'http://127.0.0.1/' }, 'aleg only'],
  [{ legs: 'both', aleg_url: 'http://127.0.0.1/' }, 'aleg only'],
  [{}, 'aleg_url parameter not present'],
  [{ aleg_url: 'http://example.com/' }, 'only this machine'],
  [{ aleg_url: 'http://127.0.0.1/', aleg_method: 'PUT' }, 'aleg_method parameter is invalid'],
])('refuses %j', (fields, error) =>
  inCall(
    () => '<Wait length="3600"/>',
    async ({ caller, callId, rest }) => {
      await caller.progress('wait', true);
      const answer = await rest.post(`Call/${callId}/`, fields);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(error);
      caller.client.hangUp();
      await caller.ended();
    },
  ),
);

test('finds only calls that are answered and not over', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox();
  const rest = restClient(sandbox.apiUrl);
  const target = { aleg_url: application.url('/transfer') };
  expect((await rest.post('Call/b0b5c9d2-1111-4222-8333-444455556666/', target)).status).toBe(404);
  const fired = await rest.post('Call/', {
    from: '12025550100',
    to: '12025550103',
    answer_url: application.url('/answer'),
  });
  const ringing = fired.body.request_uuid;
  expect((await rest.post(`Call/${ringing}/`, target)).status).toBe(404);
  await rest.delete(`Call/${ringing}/`);
  expect((await rest.post(`Call/${ringing}/`, target)).status).toBe(404);
});
