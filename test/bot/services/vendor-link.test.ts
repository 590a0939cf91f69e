import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ProviderError } from '../../../src/base/provider-error.js';
import { VENDORS } from '../../../src/bot/services/vendor.js';
import { VendorLink, type VendorLinkOptions } from '../../../src/bot/services/vendor-link.js';
import { HastyClock } from '../../hasty-clock.js';

const KEY = 'secret-key-4711';

/** A provider on loopback, and a link to it whose news are events: `opened`, `received`, `lost`, `mended`, `gaveUp`. */
async function linkTo(
  accept: (socket: WebSocket, count: number) => void,
  options: Partial<VendorLinkOptions<string>> = {},
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const messages: string[] = [];
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    socket.on('message', (data) => messages.push(String(data)));
    accept(socket, count);
  });
  const news = new EventEmitter();
  const told: string[] = [];
  const tell = (name: string) => (value?: unknown) => {
    told.push(name);
    news.emit(name, value);
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const link = new VendorLink<string>(
    {
      account: { provider: VENDORS.deepgram, apiKey: KEY, baseUrl },
      path: '/',
      headers: {},
      farewell: () => ['bye'],
      parse: (data) => [String(data)],
      steadyMs: 5_000,
      ...options,
    },
    {
      opened: tell('opened'),
      received: tell('received'),
      lost: tell('lost'),
      mended: tell('mended'),
      gaveUp: tell('gaveUp'),
    },
  );
  return {
    link,
    told,
    messages,
    connections: () => count,
    next: async (name: string) => (await once(news, name))[0] as ProviderError,
    async [Symbol.asyncDispose]() {
      link.close();
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a key that the provider refuses as it closes the connection is final, and is not told', async () => {
  await using far = await linkTo((socket) => socket.close(1008, `invalid API key ${KEY}`));
  far.link.open();
  const error = await far.next('gaveUp');
  expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', isFinal: true });
  expect(error.message).toContain('invalid API key [redacted]');
  expect(far.connections()).toBe(1);
  expect(far.told).toEqual(['opened', 'gaveUp']);
});

test.each([
  ['opens', undefined, 'opened'],
  ['answers', 60_000, 'received'],
])('a connection that was mended is told when the next one %s', async (_title, proofMs, last) => {
  const accept = (socket: WebSocket, count: number) =>
    count === 1 ? socket.close(1011, 'restarts') : socket.send('hello');
  await using far = await linkTo(accept, proofMs === undefined ? {} : { proofMs });
  const mended = far.next('mended');
  far.link.open();
  const lost = await far.next('lost');
  expect(lost).toMatchObject({ code: 'VB_PROVIDER_FAILED', isFinal: false, status: 1011 });
  expect(lost.message).toContain('closed the connection: 1011, restarts');
  if (last === 'received') {
    await far.next('received');
    expect(far.told).not.toContain('mended');
    far.link.markAlive();
  }
  expect((await mended).status).toBe(1011);
});

test('five connections in a row that break are the last, and each that worked begins a new row', async () => {
  using _clock = new HastyClock();
  const accept = (socket: WebSocket, count: number) => {
    if (count === 3) socket.send('audio');
    socket.close(1012, `break ${count}`);
  };
  await using far = await linkTo(accept, {
    giveUpAfterMs: 60_000,
    parse: (data) => {
      far.link.markWorking();
      return [String(data)];
    },
  });
  far.link.open();
  const error = await far.next('gaveUp');
  expect(error).toMatchObject({ isFinal: true, status: 1012 });
  expect(far.connections()).toBe(3 + 5);
  expect(far.told.filter((one) => one === 'lost')).toHaveLength(8);
});

test('a provider that never proves itself is given up', async () => {
  using _clock = new HastyClock();
  await using far = await linkTo(() => {}, { proofMs: 500, giveUpAfterMs: 1_000 });
  far.link.open();
  const error = await far.next('gaveUp');
  expect(error.message).toContain('does not answer');
  expect(far.link.isOpen).toBe(false);
});

test('nothing more is told, and the farewell is sent, when it is closed; closing twice is closing once', async () => {
  const closed: number[] = [];
  await using far = await linkTo((socket) => socket.on('close', (code) => closed.push(code)));
  far.link.open();
  far.link.open();
  await far.next('opened');
  far.link.send('one');
  far.link.close();
  far.link.close();
  far.link.open();
  far.link.send('two');
  while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(far.messages).toEqual(['one', 'bye']);
  expect(closed).toEqual([1000]);
  expect(far.told).toEqual(['opened']);
  expect(far.connections()).toBe(1);
});

test('an attempt that is closed leaves no connection', async () => {
  await using far = await linkTo(() => {});
  far.link.open();
  far.link.close();
  expect(far.link.isOpen).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  expect(far.told).toEqual([]);
});

test('a keep-alive is sent only when nothing else was for so long', async () => {
  using _clock = new HastyClock();
  await using far = await linkTo(() => {}, { keepAlive: { message: 'ping', afterMs: 1_000 } });
  far.link.open();
  await far.next('opened');
  while (far.messages.length < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(far.messages).toEqual(['ping', 'ping', 'ping']);
});
