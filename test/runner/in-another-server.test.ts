import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { sharedServer } from '../../src/runner/http/shared-server.js';
import { HandCarrier, Stream, send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

const app = express();
app.use(express.json(), express.urlencoded()); // would have read what the carrier has signed
app.get('/', (_request, response) => void response.send('the application'));
const server = createServer(app);
let served: RunnerUnderTest;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  served = await RunnerUnderTest.start({ ...IN_PROCESS, server: sharedServer(server, '/voice') });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  server.close();
  server.closeAllConnections();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('a call comes through the server of an application, behind its body parsers', async () => {
  const carrier = new HandCarrier(served.runner);
  const callId = randomUUID();
  const document = await carrier.answer(callId);
  expect(document.streamUrl).toContain(`${url().replace('http', 'ws')}/voice/ws`);
  const stream = await Stream.open(document.streamUrl);
  expect(stream.hello.call).toMatchObject({ id: callId });
  stream.order('return');
  await stream.closed;
});

test('the page and the operator are below the path, and the application keeps its own addresses', async () => {
  expect((await send(`${url()}/voice/`)).body).toContain('<title>voicebot</title>');
  expect((await send(`${url()}/voice/health`)).body).toContain('ok');
  expect((await send(`${url()}/`)).body).toBe('the application');
  expect((await send(`${url()}/health`)).status).toBe(404);
});

test('a webhook without a signature is refused', async () => {
  expect((await send(`${url()}/voice/answer`, { method: 'POST', body: 'CallUUID=1' })).status).toBe(403);
});
