import { randomUUID } from 'node:crypto';
import { silentLogger } from '../../src/base/logger.js';
import { signatureHeaders } from '../../src/providers/plivo/signature.js';
import { telnyx } from '../../src/providers/telnyx/provider.js';
import { makeSigningKeys, signatureHeaders as telnyxSignature } from '../../src/providers/telnyx/signature.js';
import { AUTH_TOKEN, callParameters, type HandCarrier, Stream, send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
let carrier: HandCarrier;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callsPerProcess: 50 });
  carrier = served.carrier;
});
afterAll(() => served[Symbol.asyncDispose]());

const calls = async (): Promise<Array<{ id: string; state: string; endReason?: string }>> =>
  JSON.parse((await send(`${served.runner.url}/calls`)).body).calls;
const isKnown = async (callId: string) => (await calls()).some(({ id }) => id === callId);

test.each(['GET', 'POST'])(
  'a signed %s gets a document that streams the call to us and then asks again',
  async (method) => {
    const callId = randomUUID();
    const { status, headers, body } = await carrier.webhook('/answer', callParameters(callId), { method });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/xml/);
    const host = new URL(served.runner.url).host;
    expect(body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>/);
    expect(body).toMatch(
      new RegExp(
        `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000" statusCallbackUrl="http://${host}/stream-status">` +
          `ws://${host}/ws\\?call_id=${callId}&amp;token=[\\w.-]{31}</Stream>` +
          `<Redirect method="POST">http://${host}/resume\\?stream_no=1</Redirect>`,
      ),
    );
    expect((await calls()).find(({ id }) => id === callId)).toMatchObject({
      state: 'ringing',
      direction: 'inbound',
      from: '+12025550142',
      to: '+12025550100',
      attempt: 1,
    });
  },
);

test.each(['/answer', '/resume', '/hangup', '/stream-status'])('%s refuses what is not signed', async (path) => {
  const callId = randomUUID();
  const parameters = callParameters(callId);
  const url = `${served.runner.url}${path}`;
  const body = new URLSearchParams(parameters).toString();
  const form = Object.entries(parameters);
  const signed = signatureHeaders({ method: 'POST', url, form }, AUTH_TOKEN);

  expect((await carrier.webhook(path, parameters, { authToken: 'wrong' })).status).toBe(403);
  expect((await send(url, { method: 'POST', body })).status).toBe(403);
  expect((await send(`${url}?${body}`)).status).toBe(403);
  expect((await send(url, { method: 'POST', body: `${body}&More=1`, headers: signed })).status).toBe(403);
  expect((await send(`${url}?more=1`, { method: 'POST', body, headers: signed })).status).toBe(403);
  expect(await isKnown(callId)).toBe(false);
  expect((await send(url, { method: 'POST', body, headers: signed })).status).toBe(200);
});

test.each(['PUT', 'DELETE', 'PATCH'])('%s is not a method of webhooks', async (method) => {
  const { status, headers } = await send(`${served.runner.url}/answer`, { method });
  expect([status, headers.allow]).toEqual([405, 'GET, POST']);
});

test('the address that is signed is ours, whatever the request says it is', async () => {
  const parameters = callParameters(randomUUID());
  const url = 'http://evil.example.com/answer';
  const headers = {
    ...signatureHeaders({ method: 'POST', url, form: Object.entries(parameters) }, AUTH_TOKEN),
    host: 'evil.example.com',
    'x-forwarded-host': 'evil.example.com',
  };
  const body = new URLSearchParams(parameters).toString();
  expect((await send(`${served.runner.url}/answer`, { method: 'POST', headers, body })).status).toBe(403);
});

test.each([
  ['is missing', undefined],
  ['is empty', ''],
  ['goes up a folder', '../../Account'],
  ['has a space', 'a b'],
  ['is too long', 'a'.repeat(65)],
])('a call identifier that %s is refused', async (_, callId) => {
  const before = await calls();
  const { CallUUID: _id, ...rest } = callParameters('');
  const parameters = callId === undefined ? rest : { ...rest, CallUUID: callId };
  for (const path of ['/answer', '/resume', '/hangup']) {
    const { status, body } = await carrier.webhook(path, parameters);
    expect([status, body]).toEqual([400, 'the identifier of the call is missing or not of the expected form\n']);
  }
  expect(await calls()).toEqual(before);
});

test('the same webhook twenty times at once is one call with one document', async () => {
  const callId = randomUUID();
  const documents = await Promise.all(Array.from({ length: 20 }, () => carrier.answer(callId)));
  expect(new Set(documents.map(({ answer }) => answer.body)).size).toBe(1);
  expect((await calls()).filter(({ id }) => id === callId)).toHaveLength(1);
});

test('two calls get different passes', async () => {
  const [one, other] = await Promise.all([carrier.answer(), carrier.answer()]);
  const token = (url: string) => new URL(url).searchParams.get('token');
  expect(token(one.streamUrl)).not.toBe(token(other.streamUrl));
});

test('a body of more than 64 KiB is refused', async () => {
  const more = (bytes: number) => carrier.webhook('/answer', callParameters(randomUUID(), { More: 'x'.repeat(bytes) }));
  expect((await more(65 * 1_024)).status).toBe(413);
  expect((await more(60 * 1_024)).status).toBe(200);
});

test.each(['/hangup', '/answer', '/resume'])('a hang-up told to %s ends the call', async (path) => {
  const { callId } = await carrier.answer();
  const end = { Event: 'Hangup', CallStatus: 'completed', HangupSource: 'Caller', HangupCauseCode: '4000' };
  const { status, body } = await carrier.webhook(path, callParameters(callId, end));
  expect([status, body]).toEqual([200, expect.stringContaining('<Response/>')]);
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'caller_hung_up' });
});

test('a call that has ended stays ended: late and repeated webhooks only hang up', async () => {
  const { callId } = await carrier.answer();
  await carrier.hangup(callId);
  await carrier.hangup(callId, { HangupSource: 'API Request' });
  expect((await carrier.answer(callId)).verbs).toEqual(['Hangup']);
  expect((await carrier.resume(callId)).verbs).toEqual(['Hangup']);
  expect((await calls()).filter(({ id }) => id === callId)).toEqual([
    expect.objectContaining({ state: 'ended', endReason: 'caller_hung_up' }),
  ]);
});

test('a hang-up that overtakes its answer leaves nothing to answer', async () => {
  const callId = randomUUID();
  expect((await carrier.hangup(callId)).status).toBe(200);
  expect((await carrier.answer(callId)).verbs).toEqual(['Hangup']);
});

test('news of a stream changes nothing', async () => {
  const before = await calls();
  const news = callParameters(randomUUID(), { Event: 'StartStream' });
  expect((await carrier.webhook('/stream-status', news)).status).toBe(200);
  expect(await calls()).toEqual(before);
});

test.each(['/unknown', '/answer/more', '/prompts', '/prompts/../package.json', '/ws'])(
  'nothing but a 404 at %s',
  async (path) => {
    const { status, headers } = await send(`${served.runner.url}${path}`);
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('x-powered-by');
  },
);

test('the recorded line can be fetched without a signature', async () => {
  const { status, headers, body } = await send(`${served.runner.url}/prompts/apology.wav`);
  expect([status, headers['content-type']]).toEqual([200, 'audio/wav']);
  expect(body).toMatch(/^RIFF/);
});

test('operators on this machine see health, readiness and calls', async () => {
  const get = async (path: string) => {
    const { status, body } = await send(`${served.runner.url}${path}`);
    return [status, JSON.parse(body)];
  };
  const { callId } = await carrier.answer();
  expect(await get('/health')).toEqual([200, { version: 1, status: 'ok' }]);
  expect(await get('/ready')).toEqual([200, { version: 1, readyBots: expect.any(Number) }]);
  expect(await get('/calls')).toEqual([200, { version: 1, calls: expect.arrayContaining([expect.anything()]) }]);
  expect(await get(`/calls/${callId}`)).toEqual([200, expect.objectContaining({ id: callId, state: 'ringing' })]);
  expect(await get('/calls/nobody')).toEqual([
    404,
    { version: 1, error: expect.objectContaining({ code: 'VB_REQUEST_INVALID' }) },
  ]);
  const wrong = await send(`${served.runner.url}/calls`, {
    headers: { host: 'a.example', authorization: 'Bearer wrong' },
  });
  expect([wrong.status, JSON.parse(wrong.body).error.code]).toEqual([401, 'VB_UNAUTHORISED']);
});

test.each([
  ['another host name', { host: 'bot.example.com' }],
  ['a tunnel', { 'x-forwarded-for': '203.0.113.7' }],
  ['a web page', { origin: 'https://evil.example.com' }],
  ['a page of no origin', { origin: 'null' }],
])('operators who come through %s see nothing', async (_, headers) => {
  for (const path of ['/health', '/ready', '/calls', '/calls/x']) {
    expect((await send(`${served.runner.url}${path}`, { headers })).status).toBe(404);
  }
});

test('without the check of signatures an unsigned webhook gets a document', async () => {
  await using open = await RunnerUnderTest.start({ ...IN_PROCESS, insecureWebhooks: true });
  const body = new URLSearchParams(callParameters('one')).toString();
  const { status, body: document } = await send(`${open.runner.url}/answer`, { method: 'POST', body });
  expect([status, document]).toEqual([200, expect.stringContaining('<Stream ')]);
});

test('a carrier that reaches us under a public name signs and gets that name', async () => {
  await using open = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl: 'https://bot.example.com' });
  const parameters = callParameters(randomUUID());
  const form = Object.entries(parameters);
  const signed = signatureHeaders({ method: 'POST', url: 'https://bot.example.com/answer', form }, AUTH_TOKEN);
  const body = new URLSearchParams(parameters).toString();
  const headers = { ...signed, host: 'bot.example.com', 'x-forwarded-for': '203.0.113.7' };
  const { status, body: document } = await send(`${open.runner.url}/answer`, { method: 'POST', headers, body });
  expect(status).toBe(200);
  expect(document).toContain('>wss://bot.example.com/ws?');
  expect(document).toContain('>https://bot.example.com/resume?stream_no=1<');
});

test.each([
  ['no signature', {}, 'webhook refused: no signature', 'it has no x-plivo-signature-v3 header'],
  [
    'a wrong one',
    { 'x-plivo-signature-v3': 'wrong' },
    'webhook refused: bad signature',
    'is CARRIER_AUTH_TOKEN the token of',
  ],
])('the log of a webhook with %s says so', async (_, headers, message, words) => {
  const warned: Array<[string, unknown]> = [];
  const logger = { ...silentLogger, warn: (text: string, fields?: object) => void warned.push([text, fields]) };
  await using refusing = await RunnerUnderTest.start({ ...IN_PROCESS, logger });
  await send(`${refusing.runner.url}/answer`, { method: 'POST', headers });
  expect(warned).toMatchObject([[message, { hint: expect.stringContaining(words) }]]);
});

test('a carrier that does not sign the address of a GET is told to use POST', async () => {
  const { privateKey, publicKey } = makeSigningKeys();
  const credentials = { authId: '', authToken: 'KEY', publicKey, apiUrl: 'http://127.0.0.1:1' };
  await using signed = await RunnerUnderTest.start({ ...IN_PROCESS, carrier: telnyx, credentials });
  const headers = telnyxSignature(Buffer.alloc(0), privateKey, Date.now());
  const answer = await send(`${signed.runner.url}/answer?CallSid=v3:abc&CallStatus=ringing`, { headers });
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('to POST')]);
});

test('documents whose address we have signed are given to whoever does not say for which call', async () => {
  const { callId, streamUrl } = await carrier.answer();
  const stream = await Stream.open(streamUrl);
  stream.order('throw');
  await stream.closed;
  const { body } = await served.api.next('POST', new RegExp(`^Call/${callId}/`));
  const { status, body: document } = await carrier.tell(String(body.aleg_url), {}, 'GET');
  expect([status, document]).toEqual([200, expect.stringContaining('<Stream ')]);
  expect((await carrier.webhook('/resume', {})).status).toBe(400);
});
