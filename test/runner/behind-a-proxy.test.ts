import { randomUUID } from 'node:crypto';
import { type LogFields, silentLogger } from '../../src/base/logger.js';
import { signatureHeaders } from '../../src/providers/plivo/signature.js';
import { RunnerClient } from '../../src/runners/runner-client.js';
import { RunningRunners } from '../../src/runners/running-runners.js';
import { until } from '../e2e/processes.js';
import { AUTH_TOKEN, callParameters, Document, Stream, send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { ReverseProxy } from './reverse-proxy.js';
import { RUNNER_TOKEN, RunnerUnderTest } from './runner-under-test.js';

const PUBLIC_URL = 'https://bot.example.com';
const CLIENT = '203.0.113.7';

const refusals: LogFields[] = [];
let served: RunnerUnderTest;
/** Like nginx as the documentation configures it, and like one that nobody configured. */
let proxy: ReverseProxy;
let naive: ReverseProxy;
beforeAll(async () => {
  const logger = { ...silentLogger, warn: (_message: string, fields: LogFields = {}) => void refusals.push(fields) };
  const trustedProxies = ['127.0.0.0/8'];
  served = await RunnerUnderTest.start({
    ...IN_PROCESS,
    publicUrl: PUBLIC_URL,
    trustedProxies,
    callsPerProcess: 50,
    logger,
  });
  proxy = await ReverseProxy.start({ upstream: served.runner.url, client: CLIENT });
  naive = await ReverseProxy.start({ upstream: served.runner.url, client: CLIENT, isNaive: true });
}, 60_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await naive[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});

/** A webhook of the carrier, signed for the public address, as it comes out of the proxy. */
function webhook(path: string, callId: string, { authToken = AUTH_TOKEN, via = proxy, headers = {} } = {}) {
  const parameters = callParameters(callId, { Event: 'StartApp' });
  const signed = { method: 'POST', url: `${PUBLIC_URL}${path}`, form: Object.entries(parameters) };
  return send(`${via.url}${path}`, {
    method: 'POST',
    headers: {
      host: 'bot.example.com',
      'content-type': 'application/x-www-form-urlencoded',
      ...signatureHeaders(signed, authToken),
      ...headers,
    },
    body: new URLSearchParams(parameters).toString(),
  });
}

test.each(['one that is configured', 'one that is not'])('a call comes through %s', async (kind) => {
  const via = kind === 'one that is configured' ? proxy : naive;
  const callId = randomUUID();
  const document = new Document(callId, await webhook('/answer', callId, { via }));
  expect(document.streamUrl).toMatch(/^wss:\/\/bot\.example\.com\/ws\?/);
  const stream = await Stream.open(document.streamUrl, via.url);
  expect(stream.hello.call).toMatchObject({ id: callId, from: '+12025550142', attempt: 1 });
  stream.order('return');
  await stream.closed;
});

test.each(['/health', '/ready', '/calls', `/calls/${randomUUID()}`])(
  '%s stays closed without the token',
  async (path) => {
    for (const { url } of [proxy, naive]) {
      for (const host of ['bot.example.com', 'localhost:7860']) {
        expect((await send(url + path, { headers: { host } })).status).toBe(404);
        expect((await send(url + path, { headers: { host, authorization: 'Bearer wrong' } })).status).toBe(401);
      }
    }
  },
);

test('the page shows nothing to another machine without the token', async () => {
  for (const { url } of [proxy, naive]) {
    for (const headers of [{ host: 'bot.example.com' }, { host: 'localhost:7860' }]) {
      const { status, body, headers: answered } = await send(`${url}/`, { headers });
      expect([status, body, answered['www-authenticate']]).toEqual([401, '', 'Bearer']);
      expect(answered).not.toHaveProperty('content-security-policy');
    }
    const withToken = await send(`${url}/`, { headers: { authorization: `Bearer ${RUNNER_TOKEN}` } });
    expect([withToken.status, withToken.body.includes('<title>voicebot</title>')]).toEqual([200, true]);
  }
});

test('/start stays closed without the token', async () => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"phone_number":"+1"}' };
  for (const { url } of [proxy, naive]) expect((await send(`${url}/start`, request)).status).toBe(401);
});

test('an operator with the token looks at calls through the proxy', async () => {
  const headers = { authorization: `Bearer ${RUNNER_TOKEN}` };
  for (const { url } of [proxy, naive]) {
    for (const path of ['/health', '/calls']) expect((await send(url + path, { headers })).status).toBe(200);
    const isReady = async () => (await send(`${url}/ready`, { headers })).status === 200;
    await until(isReady, 'a bot waits again', 30_000);
  }
});

test('the commands of this machine find the runner and are let in', async () => {
  const { port, url } = served.runner;
  const runners = new RunningRunners(served.stateDirectory);
  await runners.announce({ version: 1, pid: process.pid, port, url, startedAt: Date.now(), token: RUNNER_TOKEN });
  const found = await runners.find({ port });
  expect(found.url).toBe(url);
  expect(Array.isArray(await new RunnerClient(found.url, found.token).calls())).toBe(true);
});

test('a refusal names who sent it, whatever they say of themselves', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  expect((await webhook('/answer', randomUUID(), { authToken: 'wrong', headers })).status).toBe(403);
  expect(refusals.filter(({ path }) => path === '/answer')).toEqual([expect.objectContaining({ client: CLIENT })]);
});

test.each([
  ['of another carrier', { 'x-twilio-signature': 'x' }, /looks like a webhook of twilio, and this runner is at plivo/],
  ['that is not signed', {}, /no x-plivo-signature-v3 header/],
])('a webhook %s is refused with one line that says so', async (_, headers, hint) => {
  const lines: LogFields[] = [];
  const logger = { ...silentLogger, warn: (_message: string, fields: LogFields = {}) => void lines.push(fields) };
  await using lonely = await RunnerUnderTest.start({ ...IN_PROCESS, logger });
  for (let n = 0; n < 3; n += 1) {
    const { status, body } = await send(`${lonely.runner.url}/answer`, { method: 'POST', headers, body: '' });
    expect([status, body]).toEqual([403, '']);
  }
  expect(lines).toEqual([expect.objectContaining({ hint: expect.stringMatching(hint) })]);
});

test('who is no proxy of ours is not believed', async () => {
  const lines: LogFields[] = [];
  const logger = { ...silentLogger, warn: (_message: string, fields: LogFields = {}) => void lines.push(fields) };
  await using unproxied = await RunnerUnderTest.start({ ...IN_PROCESS, publicUrl: PUBLIC_URL, logger });
  await using stranger = await ReverseProxy.start({ upstream: unproxied.runner.url, client: CLIENT });
  expect((await webhook('/answer', randomUUID(), { authToken: 'wrong', via: stranger })).status).toBe(403);
  expect(lines).toEqual([expect.objectContaining({ client: '127.0.0.1' })]);
});
