import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { WebSocket } from 'ws';
import { loopbackLookup } from '../../../src/base/http/loopback-lookup.js';
import { httpGet } from '../../../src/runner/tunnel/http-get.js';
import { localtunnelProvider } from '../../../src/runner/tunnel/localtunnel.js';
import { until } from '../../e2e/processes.js';
import { AnsweringServer } from './answering-server.js';
import { TunnelServer } from './tunnel-server.js';

jest.setTimeout(60_000);

const never = new AbortController().signal;
const get = (url: string) => httpGet(new URL(url), {}, AbortSignal.timeout(30_000));

let tunnelServer: TunnelServer;
beforeAll(async () => {
  tunnelServer = await TunnelServer.start();
});
afterAll(() => tunnelServer.stop());

const openedThrough = (server: AnsweringServer, previousUrl?: string, through = tunnelServer) =>
  openedAt(through.url, server.port, previousUrl);

async function openedAt(server: string, port = 1, previousUrl?: string) {
  const link = await localtunnelProvider({ server }).open({ port, previousUrl }, never);
  return Object.assign(link, { [Symbol.asyncDispose]: () => link.close() });
}

async function callOver(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { lookup: loopbackLookup });
  await once(socket, 'open');
  return socket;
}

test('requests come through under the public name, and keep it', async () => {
  await using server = await AnsweringServer.start();
  await using link = await openedThrough(server);
  expect(link).toMatchObject({ maxConnections: 10, url: expect.stringMatching(/^http:\/\/[\w-]+\.localhost:\d+$/) });
  expect(await get(`${link.url}/some/where`)).toMatchObject({ status: 200, body: 'hello' });
  expect(server.requests).toMatchObject([{ path: '/some/where', host: new URL(link.url).host }]);
});

test('a megabyte of random bytes comes back unchanged over a WebSocket', async () => {
  await using server = await AnsweringServer.start();
  await using link = await openedThrough(server);
  const socket = await callOver(link.url);
  const sent = randomBytes(2 ** 20);
  socket.send(sent);
  const [received] = await once(socket, 'message');
  expect(sent.equals(received as Buffer)).toBe(true);
  socket.close();
  expect((await once(socket, 'close'))[0]).toBe(1005);
  await until(() => server.webSockets === 0, 'the WebSocket is closed here as well');
});

test('waiting connections are not held against a server that ends silent ones', async () => {
  // As the runner does, only sooner: whoever connects and says nothing gets a 408.
  await using server = await AnsweringServer.start({ headersTimeout: 300, connectionsCheckingInterval: 20 });
  await using link = await openedThrough(server);
  expect((await get(link.url)).status).toBe(200);
  const idle = await callOver(server.url.replace('127.0.0.1', 'localhost')); // long enough for many checks
  for (let i = 0; i < 60; i += 1) {
    idle.send('tick');
    await once(idle, 'message');
    await until(() => server.connections.size <= 1, 'nobody else is connected to the server');
    expect((await get(link.url)).status).toBe(200);
  }
  idle.terminate();
});

test('ten calls at once all come through; the eleventh and any request wait until one of them ends', async () => {
  await using server = await AnsweringServer.start();
  await using link = await openedThrough(server);
  const calls = await Promise.all(Array.from({ length: 10 }, () => callOver(link.url)));
  for (const [i, call] of calls.entries()) {
    call.send(`call ${i}`);
    expect(String((await once(call, 'message'))[0])).toBe(`call ${i}`);
  }
  let eleventh: WebSocket | undefined;
  const isIn = callOver(link.url).then((call) => {
    eleventh = call;
  });
  const request = httpGet(new URL(link.url), {}, AbortSignal.timeout(300));
  await expect(request).rejects.toThrow();
  expect([server.webSockets, eleventh]).toEqual([10, undefined]);

  calls[0]?.close();
  await isIn;
  eleventh?.send('at last');
  expect(String((await once(eleventh as WebSocket, 'message'))[0])).toBe('at last');
  calls[1]?.close();
  calls[2]?.close();
  expect((await get(link.url)).status).toBe(200);
  for (const call of [...calls, eleventh]) call?.terminate();
});

test('connections that a bot breaks off are replaced, more often than there are', async () => {
  await using server = await AnsweringServer.start();
  await using link = await openedThrough(server);
  for (let i = 0; i < 25; i += 1) {
    const call = await callOver(link.url);
    const closed = once(call, 'close');
    for (const socket of server.connections) socket.resetAndDestroy();
    expect((await closed)[0]).toBe(1006);
  }
  expect((await get(link.url)).status).toBe(200);
});

test('the name before is given again as soon as the server has it free', async () => {
  await using server = await AnsweringServer.start();
  const first = await openedThrough(server);
  await first.close();
  await using second = await openedThrough(server, first.url);
  expect(second.url).toBe(first.url);
  expect((await get(second.url)).status).toBe(200);
});

test('a name that another has is not waited for twice, and one of another server is not asked for', async () => {
  await using server = await AnsweringServer.start();
  await using first = await openedThrough(server);
  await using second = await openedThrough(server, first.url);
  expect(second.url).not.toBe(first.url);
  expect((await get(second.url)).status).toBe(200);
  await using third = await openedThrough(server, 'https://brave-owl.example.com');
  expect(third.url).not.toContain('brave-owl');
});

test('a server that dies is told', async () => {
  await using mortal = await TunnelServer.start();
  await using server = await AnsweringServer.start();
  await using link = await openedThrough(server, undefined, mortal);
  const call = await callOver(link.url);
  const closed = once(call, 'close');
  await mortal.stop();
  expect(await link.lost).toMatch(/^the connection to its server failed: connection refused: localhost:\d+/);
  await closed;
  await until(() => server.webSockets === 0, 'the bot is told as well');
});

test('nothing is connected any more once it is closed, and closing twice is fine', async () => {
  await using server = await AnsweringServer.start();
  const link = await openedThrough(server);
  const call = await callOver(link.url);
  const closed = once(call, 'close');
  await Promise.all([link.close(), link.close()]);
  await closed;
  await link.close();
  await until(() => server.connections.size === 0, 'no connection to the server is left');
  const { hostname } = new URL(link.url);
  const { body } = await get(`${tunnelServer.url}/api/tunnels/${hostname.split('.')[0]}/status`);
  expect(body).toMatch(/"connected_sockets":0|Not Found/);
});

describe('a server that gives no usable name', () => {
  /** Answers every request the same. */
  async function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, asked, [Symbol.dispose]: () => void server.close() };
  }
  const name = { id: 'abcd', port: 4000, max_conn_count: 10, url: 'https://abcd.example.com' };

  test.each([
    ['is overloaded', 503, 'Service Unavailable', 'gave no name, but HTTP 503'],
    ['says why', 403, { message: 'Invalid subdomain' }, 'HTTP 403: Invalid subdomain'],
    ['shows a page', 200, '<html></html>', 'gave no name'],
    ['gives an address in the clear', 200, { ...name, url: 'http://abcd.example.com' }, 'not https'],
    ['gives no address', 200, { ...name, url: undefined }, 'not https'],
    ['gives an address of another kind', 200, { ...name, url: 'file:///etc/passwd' }, 'not https'],
    ['gives a port that is none', 200, { ...name, port: 70_000 }, 'makes no sense'],
    ['gives no port', 200, { ...name, port: '22' }, 'makes no sense'],
    ['takes connections nowhere', 200, { ...name, ip: 5 }, 'makes no sense'],
    ['gives more than a name', 200, { ...name, more: 'x'.repeat(20_000) }, 'cannot be reached: maxContentLength'],
    ['gives null', 200, 'null', 'gave no name'],
  ])('it %s', async (_what, status, body, message) => {
    using server = await answering(status, body);
    await expect(localtunnelProvider({ server: server.url }).open({ port: 1 }, never)).rejects.toMatchObject({
      code: 'VB_TUNNEL_FAILED',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/--tunnel cloudflared.*--public-url/),
    });
    expect(server.asked).toEqual(['/?new']); // and its thread has ended, which would ask again
  });

  test('it refuses the connections, which ends the tunnel and not the process', async () => {
    using server = await answering(200, { ...name, ip: '127.0.0.1', port: 1 });
    await using link = await openedAt(server.url);
    expect(await link.lost).toContain('connection refused: 127.0.0.1:1 ');
  });

  test('it ends every connection', async () => {
    const rude = createTcpServer((socket) => socket.end());
    await once(rude.listen(0, '127.0.0.1'), 'listening');
    const { port } = rude.address() as AddressInfo;
    using server = await answering(200, { ...name, ip: '127.0.0.1', port });
    await using link = await openedAt(server.url);
    expect(await link.lost).toBe('its server ends every connection');
    rude.close();
  });

  test('it leads elsewhere for ever, or out of the safe', async () => {
    using circle = await answering(302, '', { location: '/' });
    await expect(localtunnelProvider({ server: circle.url }).open({ port: 1 }, never)).rejects.toThrow(
      'cannot be reached: Maximum number of redirects exceeded',
    );
    using unsafe = await answering(302, '', { location: 'http://example.com/' });
    await expect(localtunnelProvider({ server: unsafe.url }).open({ port: 1 }, never)).rejects.toThrow('unsafe');
  });
});
