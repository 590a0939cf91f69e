import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { PhoneClient } from '../../../src/sandbox/network/phone-client.js';
import { FakeApplication } from '../fake-application.js';
import { AUTH_TOKEN, FakeCaller, PHONE_TOKEN, startFastSandbox } from '../fake-caller.js';

const exchange = (heard: Uint8Array): Uint8Array => heard;

/** A phone written against the wire, without the client. */
async function rawPhone(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/network/phones?token=${PHONE_TOKEN}`);
  await once(socket, 'open');
  return socket;
}

const attend = (change: object): string =>
  JSON.stringify({
    type: 'attend',
    number: '+12025550142',
    outcome: 'answered',
    ringMs: 0,
    isMachine: false,
    ...change,
  });

/** A sandbox whose calls an application answers with a stream. */
async function servedSandbox() {
  const application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  const sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  const close = async () => {
    await sandbox[Symbol.asyncDispose]();
    await application[Symbol.asyncDispose]();
  };
  return { application, sandbox, [Symbol.asyncDispose]: close };
}

test('refuses a phone with a wrong token before the upgrade', async () => {
  await using sandbox = await startFastSandbox();
  await expect(PhoneClient.connect({ url: sandbox.url, token: 'wrong', exchange })).rejects.toMatchObject({
    code: 'VB_CREDENTIALS_REFUSED',
  });
});

test('refuses an upgrade on any other path', async () => {
  await using sandbox = await startFastSandbox();
  const socket = new WebSocket(`${sandbox.url.replace('http', 'ws')}/ws?token=${PHONE_TOKEN}`);
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  expect(error.message).toContain('404');
});

test('survives an upgrade for an address that is none', async () => {
  await using sandbox = await startFastSandbox();
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
  socket.write('GET a:99999999 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 40[04]/);
  socket.destroy();
});

test('says that there is no sandbox', async () => {
  await expect(PhoneClient.connect({ url: 'http://127.0.0.1:1', token: 'x', exchange })).rejects.toMatchObject({
    code: 'VB_CARRIER_UNREACHABLE',
  });
});

test.each([
  ['text that is not JSON', 'hello'],
  ['a request nobody knows', '{"type":"sing"}'],
  ['a key that does not exist', '{"type":"press","digit":"x"}'],
  ['a number to attend that is none', attend({ number: 'sip:ada@example.com' })],
  ['an outcome that does not exist', attend({ outcome: 'eaten' })],
  ['a time to ring that is none', attend({ ringMs: -1 })],
  ['a time to ring without end', attend({ ringMs: 1e9 })],
  ['half a request to attend a number', attend({ isMachine: undefined })],
  ['audio nobody asked for', Buffer.alloc(160)],
])('closes a phone that sends %s', async (_what, message) => {
  await using sandbox = await startFastSandbox();
  const socket = await rawPhone(sandbox.url);
  socket.send(message);
  expect((await once(socket, 'close'))[0]).toBe(1008);
});

test('closes a phone whose frame is not 20 ms, which ends its call', async () => {
  await using served = await servedSandbox();
  const { application, sandbox } = served;
  const socket = await rawPhone(sandbox.url);
  socket.on('message', (_data, isBinary) => isBinary && socket.send(Buffer.alloc(80)));
  socket.send(JSON.stringify({ type: 'dial', from: '+12025550142', to: sandbox.number }));
  expect((await once(socket, 'close'))[0]).toBe(1008);
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Caller');
});

test('lets go of a phone that no longer answers frames', async () => {
  await using served = await servedSandbox();
  const { application, sandbox } = served;
  const socket = await rawPhone(sandbox.url);
  socket.send(JSON.stringify({ type: 'dial', from: '+12025550142', to: sandbox.number }));
  const bot = await application.streams.next();
  // It is covered with silence meanwhile.
  expect(Buffer.from((await bot.event('media')).media.payload, 'base64')).toEqual(Buffer.alloc(160, 0xff));
  expect((await once(socket, 'close'))[0]).toBe(1006);
  await application.webhook('Hangup');
});

test('a phone that goes away hangs up, and may call again after a call', async () => {
  await using served = await servedSandbox();
  const { application, sandbox } = served;
  const caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  await application.streams.next();
  caller.client.hangUp();
  await caller.ended();
  await application.webhook('Hangup');
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await caller.client.close();
  await bot.closed;
  expect((await application.webhook('Hangup')).parameters.get('HangupSource')).toBe('Caller');
});

test('a second dial during a call closes the phone', async () => {
  await using served = await servedSandbox();
  const { application, sandbox } = served;
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  await application.streams.next();
  caller.dial(sandbox);
  expect(await caller.ended()).toMatchObject({ source: 'Unknown' });
});
