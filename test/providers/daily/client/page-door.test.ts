import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { PageDoor } from '../../../../src/providers/daily/client/page-door.js';
import { PAGE_PROTOCOL } from '../../../../src/providers/daily/client/wire.js';

let door: PageDoor;

beforeEach(async () => {
  door = await PageDoor.open(undefined);
});

afterEach(() => door.close());

async function get(url: string, headers: Record<string, string> = {}): Promise<{ status: number; type: string }> {
  const asking = request(url, { headers, agent: false }).end();
  const [response] = await once(asking, 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, type: response.headers['content-type'] ?? '' };
}

/** How the upgrade is answered: `open`, or the status. */
async function knock(url: string, origin: string | undefined, protocol = PAGE_PROTOCOL): Promise<string> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocol, origin === undefined ? {} : { origin });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('open', () => resolve('open'));
    socket.once('unexpected-response', (_request, response) => {
      resolve(String(response.statusCode));
      response.destroy();
    });
  });
}

test('gives the page, its script and its worklets once each', async () => {
  for (const [name, type] of [
    ['', 'text/html'],
    ['room-page.js', 'text/javascript'],
    ['worklets.js', 'text/javascript'],
  ]) {
    const first = await get(`${door.url}${name}`);
    expect(first.status).toBe(200);
    expect(first.type).toContain(type);
    expect((await get(`${door.url}${name}`)).status).toBe(404);
  }
});

test('gives nothing to somebody who does not know the secret of its address', async () => {
  const { origin } = new URL(door.url);
  for (const path of ['/', '/room-page.js', `/${'A'.repeat(32)}/`, '//', `${new URL(door.url).pathname}../`]) {
    expect((await get(`${origin}${path}`)).status).toBe(404);
  }
  expect((await get(door.url)).status).toBe(200);
});

test('gives nothing under another name of this machine, which a page of somebody else could have made up', async () => {
  expect((await get(door.url, { host: 'evil.example' })).status).toBe(404);
  expect((await get(door.url, { host: `localhost:${new URL(door.url).port}` })).status).toBe(404);
});

test('gives no client of a provider unless it has been given one', async () => {
  expect((await get(door.clientUrl)).status).toBe(404);
  const withClient = await PageDoor.open(import.meta.filename);
  expect((await get(withClient.clientUrl)).status).toBe(200);
  withClient.close();
});

test('lets its own page in, once', async () => {
  const { origin } = new URL(door.url);
  expect(await knock(`${door.url}socket`, origin)).toBe('open');
  expect((await door.entered).readyState).toBe(WebSocket.OPEN);
  expect(await knock(`${door.url}socket`, origin)).toBe('403');
});

test.each([
  ['a page of another origin', 'http://127.0.0.1:1', 'socket', PAGE_PROTOCOL],
  ['a program, which has no origin', undefined, 'socket', PAGE_PROTOCOL],
  ['another address', 'own', 'sockets', PAGE_PROTOCOL],
  ['another protocol', 'own', 'socket', 'something.1'],
])('lets in nobody else: %s', async (_who, origin, path, protocol) => {
  const from = origin === 'own' ? new URL(door.url).origin : origin;
  expect(await knock(`${door.url}${path}`, from, protocol)).toBe('403');
});

test('hangs up when it is closed', async () => {
  const socket = new WebSocket(`${door.url.replace(/^http/, 'ws')}socket`, PAGE_PROTOCOL, {
    origin: new URL(door.url).origin,
  });
  await door.entered;
  door.close();
  await once(socket, 'close');
});
