import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { daily } from '../../../src/providers/daily/provider.js';
import type { PhoneNetworkAccess } from '../../../src/runner/http/phone-routes.js';
import { Inbox } from '../../sandbox/inbox.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from '../runner-under-test.js';
import { FakePhoneNetwork } from './fake-phone-network.js';

const FRAME = Buffer.alloc(160, 0x55);

let network: FakePhoneNetwork;
beforeEach(async () => {
  network = await FakePhoneNetwork.start();
});
afterEach(() => network[Symbol.asyncDispose]());

const accessTo = (address: string): PhoneNetworkAccess => ({
  address: async () => address,
  isLocalOnly: false,
  callers: [],
  numbers: [],
  callees: [],
  speak: () => Promise.reject(new Error('not asked')),
});

const serve = (options: TestRunnerOptions = {}) =>
  RunnerUnderTest.start({ ...IN_PROCESS, phoneNetwork: accessTo(network.address), ...options });

interface PageOptions {
  protocols?: string[];
  headers?: Record<string, string>;
}

function openPage({ runner }: RunnerUnderTest, { protocols = ['voicebot.phone'], headers = {} }: PageOptions = {}) {
  return new WebSocket(`${runner.url.replace('http', 'ws')}/phone`, protocols, {
    headers: { origin: runner.url, ...headers },
  });
}

/** A page's phone that has been let in, with what it is told. */
async function attach(served: RunnerUnderTest, options?: PageOptions) {
  const socket = openPage(served, options);
  const told = new Inbox<Buffer | string>();
  socket.on('message', (data: Buffer, isBinary) => told.push(isBinary ? data : data.toString()));
  await once(socket, 'open');
  return { socket, told, phone: await network.phones.next() };
}

async function statusOf(served: RunnerUnderTest, options?: PageOptions): Promise<number | undefined> {
  const socket = openPage(served, options);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  socket.terminate();
  return response.statusCode;
}

test('what page and network say passes as it is, and the page never sees the token of the network', async () => {
  await using served = await serve();
  const { socket, told, phone } = await attach(served);
  expect(phone.url).toContain('token=of-the-network');
  expect(socket.protocol).toBe('voicebot.phone');
  socket.send('{"type":"press","digit":"1"}');
  socket.send(FRAME);
  expect([await phone.said.next(), await phone.said.next()]).toEqual(['{"type":"press","digit":"1"}', FRAME]);
  phone.socket.send('{"type":"answered"}');
  phone.socket.send(FRAME);
  expect([await told.next(), await told.next()]).toEqual(['{"type":"answered"}', FRAME]);
  socket.close();
});

test('either side that leaves takes the other along', async () => {
  await using served = await serve();
  const left = await attach(served);
  left.socket.close(1000);
  expect(await once(left.phone.socket, 'close')).toEqual([1000, Buffer.alloc(0)]);
  const lost = await attach(served);
  lost.socket.terminate();
  expect((await once(lost.phone.socket, 'close'))[0]).toBe(1001);
  const refused = await attach(served);
  refused.phone.socket.close(1008, 'already in a call');
  expect(await once(refused.socket, 'close')).toEqual([1008, Buffer.from('already in a call')]);
});

test.each([
  ['another origin', { origin: 'https://evil.example.com' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['a file', { origin: 'null' }],
])('a page of %s places no calls', async (_what, headers) => {
  await using served = await serve();
  const authorization = `Bearer ${RUNNER_TOKEN}`;
  expect(await statusOf(served, { headers: { ...headers, authorization } })).toBe(403);
  expect(network.phones.all).toEqual([]);
});

test('from elsewhere the token is wanted, and with a name that leads here by somebody else, too', async () => {
  await using served = await serve();
  const headers = { host: 'bot.example.com', origin: 'https://bot.example.com' };
  expect(await statusOf(served, { headers })).toBe(401);
  const protocols = ['voicebot.phone', `voicebot.token.${RUNNER_TOKEN}`];
  const { socket } = await attach(served, { headers, protocols });
  expect(socket.protocol).toBe('voicebot.phone');
  socket.close();
});

test('a runner that wants its token on this machine gets it as a protocol', async () => {
  const token = 'with signs/=%()"{}'.replace(' ', '-');
  await using served = await serve({ isOpenLocally: false, token });
  expect(await statusOf(served)).toBe(401);
  for (const wrong of ['wrong', `${token}x`, '%', '']) {
    const offered = `voicebot.token.${wrong.replace(/[^\w.%-]/g, '')}`;
    expect(await statusOf(served, { protocols: ['voicebot.phone', offered] })).toBe(401);
  }
  const encoded = token.replace(/[^\w.-]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const { socket } = await attach(served, { protocols: ['voicebot.phone', `voicebot.token.${encoded}`] });
  socket.close();
});

test.each(['carrier', 'rooms'] as const)('on an account there is no phone: %s', async (kind) => {
  const credentials = { apiKey: 'key', apiUrl: 'http://127.0.0.1:1' };
  const rooms = {
    kind: 'rooms',
    provider: daily,
    credentials,
    webhookSecret: 'AAAA',
    browser: undefined,
  } as const;
  await using served = await serve({ phoneNetwork: undefined, ...(kind === 'rooms' && { provider: rooms }) });
  expect(await statusOf(served)).toBe(404);
});

test('a phone network that is gone is told, and the page may try again', async () => {
  await using served = await serve({ phoneNetwork: accessTo('ws://127.0.0.1:1/') });
  const socket = openPage(served);
  expect(await once(socket, 'close')).toEqual([1013, Buffer.from('the phone network was not reached')]);
});

test('a message that no phone sends, and a page that reads nothing, end the connection', async () => {
  await using served = await serve();
  const loud = await attach(served);
  loud.socket.send('x'.repeat(5_000));
  expect((await once(loud.socket, 'close'))[0]).toBe(1009);
  const deaf = await attach(served);
  deaf.socket.pause();
  const gone = once(deaf.phone.socket, 'close');
  const flood = setInterval(() => {
    for (let n = 0; n < 500; n += 1) deaf.phone.socket.send(Buffer.alloc(4_000));
  }, 1);
  expect((await gone)[0]).toBe(1008);
  clearInterval(flood);
  deaf.socket.terminate();
});

test('so many pages have a phone, and no more', async () => {
  await using served = await serve();
  const pages = [];
  while (pages.length < 16) pages.push(await attach(served));
  expect(await statusOf(served)).toBe(503);
  const [first] = pages;
  first?.socket.close();
  if (first) await once(first.phone.socket, 'close');
  pages.push(await attach(served));
  for (const { socket } of pages) socket.close();
});

test('the end of the runner is the end of its phones', async () => {
  const served = await serve();
  const { socket, phone } = await attach(served);
  const closed = Promise.all([once(socket, 'close'), once(phone.socket, 'close')]);
  await served[Symbol.asyncDispose]();
  const [page, network] = await closed;
  expect(page).toEqual([1001, Buffer.from('the runner stops')]);
  expect(network[0]).toBe(1001);
});
