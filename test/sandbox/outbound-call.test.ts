import { FakeApplication, type FakeBot } from './fake-application.js';
import { AUTH_ID, AUTH_TOKEN, startFastSandbox } from './fake-caller.js';
import { restClient } from './rest.js';

/** Dials `to` with the REST API; the answered call streams to the application's bot. */
async function dial(
  application: FakeApplication,
  sandboxApiUrl: string,
  to: string,
  fields: object = {},
): Promise<string> {
  application.document('/answer', application.streamVerb());
  const { status, body } = await restClient(sandboxApiUrl).post('Call/', {
    from: '12025550100',
    to,
    answer_url: application.url('/answer'),
    hangup_url: application.url('/hangup'),
    ...fields,
  });
  expect(status).toBe(201);
  return body.request_uuid;
}

/** Whether a message of the stream is audio that somebody would hear. */
function isLoud({ event, media }: FakeBot['messages']['all'][number]): boolean {
  return event === 'media' && Buffer.from(media.payload, 'base64').some((byte) => (byte & 0x7f) < 0x60);
}

test.each(['12025550101', '15551234567'])('%s answers and talks', async (to) => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox();
  const callId = await dial(application, sandbox.apiUrl, to, { ring_url: application.url('/ring') });
  expect((await application.webhook('Ring')).parameters.get('CallStatus')).toBe('ringing');
  const answer = await application.webhook('StartApp');
  expect(answer.isSigned).toBe(true);
  expect(Object.fromEntries(answer.parameters)).toMatchObject({
    CallUUID: callId,
    RequestUUID: callId,
    ParentAuthID: AUTH_ID,
    From: '12025550100',
    To: to,
    Direction: 'outbound',
    CallStatus: 'in-progress',
  });
  const bot = await application.streams.next();
  await bot.messages.next(({ event, media }) => event === 'media' && /[^/]{40}/.test(media.payload.slice(0, 200)));
  expect((await restClient(sandbox.apiUrl).delete(`Call/${callId}/`)).status).toBe(204);
  await bot.closed;
  const hangup = await application.webhook('Hangup');
  expect(hangup.parameters.get('HangupCauseCode')).toBe('1000');
  expect(hangup.parameters.get('HangupSource')).toBe('API Request');
});

test.each([
  ['12025550102', {}, 'busy', '3010'],
  ['12025550103', { ring_timeout: 2 }, 'timeout', '6010'],
  ['12025550103', { hangup_on_ring: 1 }, 'timeout', '6010'],
  ['12025550104', {}, 'busy', '3110'],
])('%s %j is not answered: %s', async (to, fields, status, code) => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox();
  await dial(application, sandbox.apiUrl, to, fields);
  const { parameters } = await application.webhook('Hangup');
  expect(parameters.get('CallStatus')).toBe(status);
  expect(parameters.get('HangupCauseCode')).toBe(code);
  expect(parameters.get('Duration')).toBe('0');
  expect(application.webhooks.all.some((webhook) => webhook.parameters.get('Event') === 'StartApp')).toBe(false);
});

test('…0103 gives up ringing by itself after a minute', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.1 } });
  await dial(application, sandbox.apiUrl, '12025550103');
  expect((await application.webhook('Hangup')).parameters.get('HangupCauseCode')).toBe('3000');
});

test('…0105 is a voicemail that beeps, then listens', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.5 } });
  await dial(application, sandbox.apiUrl, '12025550105');
  const bot = await application.streams.next();
  // A 1000 Hz tone repeats every 8 samples.
  await bot.messages.next(({ event, media }) => {
    if (event !== 'media') return false;
    const frame = Buffer.from(media.payload, 'base64');
    return frame.some((byte) => byte !== 0xff) && frame.subarray(8).equals(frame.subarray(0, -8));
  });
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Callee');
});

test('…0106 asks who is calling and connects when somebody has spoken', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.5 } });
  await dial(application, sandbox.apiUrl, '12025550106');
  const bot = await application.streams.next();
  await bot.messages.next(isLoud);
  // Quiet for two seconds: it has asked and waits.
  for (let quiet = 0; quiet < 100; ) quiet = isLoud(await bot.event('media')) ? 0 : quiet + 1;
  bot.play(Uint8Array.from({ length: 8_000 }, (_, n) => (n % 16 < 8 ? 0x20 : 0xa0)));
  await bot.messages.next(isLoud);
});

test('…0109 asks who is calling, has the caller wait, and hangs up a minute later', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.5 } });
  await dial(application, sandbox.apiUrl, '12025550109');
  const bot = await application.streams.next();
  await bot.messages.next(isLoud);
  for (let quiet = 0; quiet < 100; ) quiet = isLoud(await bot.event('media')) ? 0 : quiet + 1;
  bot.play(Uint8Array.from({ length: 8_000 }, (_, n) => (n % 16 < 8 ? 0x20 : 0xa0)));
  await bot.messages.next(isLoud);
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Callee');
});

test.each(['12025550101', '12025550106', '12025550109'])(
  '%s hangs up when it has heard nobody for 12 seconds after its sentence',
  async (to) => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    await using sandbox = await startFastSandbox({ timing: { tickMs: 0.5 } });
    await dial(application, sandbox.apiUrl, to);
    const bot = await application.streams.next();
    await bot.closed;
    const frames = bot.messages.all.filter(({ event }) => event === 'media').map(isLoud);
    const quietAtEnd = frames.length - 1 - frames.lastIndexOf(true);
    // A sentence may itself end in some quiet.
    expect(quietAtEnd).toBeGreaterThanOrEqual(595);
    expect(quietAtEnd).toBeLessThan(700);
    expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Callee');
  },
);

test('nobody hangs up on a bot that talks, and 12 seconds after its last word somebody does', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ timing: { tickMs: 0.5 } });
  await dial(application, sandbox.apiUrl, '12025550101');
  const bot = await application.streams.next();
  // Thirty seconds: a tone of half a second every three seconds.
  const phrase = Uint8Array.from({ length: 24_000 }, (_, n) => (n >= 4_000 ? 0xff : n % 16 < 8 ? 0x20 : 0xa0));
  for (let said = 0; said < 10; said += 1) bot.play(phrase);
  await bot.closed;
  const frames = bot.messages.all.filter(({ event }) => event === 'media').length;
  const lastWord = 9 * 150 + 25;
  expect(frames).toBeGreaterThan(lastWord + 580);
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Callee');
});

test('…0107 hangs up three seconds after it has answered', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox();
  await dial(application, sandbox.apiUrl, '12025550107');
  const bot = await application.streams.next();
  await bot.closed;
  const media = bot.messages.all.filter(({ event }) => event === 'media').length;
  expect(media).toBeGreaterThan(130);
  expect(media).toBeLessThanOrEqual(151);
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Callee');
});

test('ends a call after its time_limit, and tells with GET where GET was asked for', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox();
  await dial(application, sandbox.apiUrl, '12025550101', {
    time_limit: 1,
    hangup_method: 'GET',
    hangup_url: application.url('/hangup'),
    machine_detection: 'true',
  });
  const hangup = await application.webhook('Hangup');
  expect(hangup).toMatchObject({ method: 'GET', isSigned: true });
  expect(hangup.parameters.get('HangupCauseCode')).toBe('6000');
});
