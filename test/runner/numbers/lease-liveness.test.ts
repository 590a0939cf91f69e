import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '../../../src/base/logger.js';
import { isLiveAddress } from '../../../src/runner/numbers/lease-liveness.js';
import { HastyClock } from '../../hasty-clock.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { HandRooms, roomsAccess } from '../rooms/hand-rooms.js';
import { RunnerUnderTest } from '../runner-under-test.js';

afterEach(() => jest.restoreAllMocks());

/** Somebody at an address. */
async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test.each([
  ['says that it serves calls', '/rooms-dialin-webhook', 200, '{"version":1,"status":"ok"}', true],
  ['is somebody else', '/rooms-dialin-webhook', 200, '{"status":"ok"}', false],
  ['says null', '/rooms-dialin-webhook', 200, 'null', false],
  ['says no JSON', '/rooms-dialin-webhook', 200, '<html>', false],
  ['says too much', '/rooms-dialin-webhook', 200, `{"version":1,"status":"ok"}${' '.repeat(100_000)}`, false],
  ['is a tunnel without anybody', '/rooms-dialin-webhook', 502, '{"version":1,"status":"ok"}', false],
  ['refuses who does not sign', '/answer', 403, '', true],
  ['is somebody else', '/answer', 200, '<Response/>', false],
  ['is a tunnel without anybody', '/answer', 404, '', false],
  ['is elsewhere', '/answer', 302, '', false],
])('whoever %s at %s with %d: live %#', async (_who, path, status, body, isLive) => {
  const received: (string | undefined)[] = [];
  await using server = await serve(async (request, response) => {
    received.push(request.method, (await request.toArray()).join(''), request.headers['content-type']);
    response.writeHead(status, { location: '/other' }).end(body);
  });
  expect(await isLiveAddress(server.url + path)).toBe(isLive);
  expect(received).toEqual(
    path === '/answer' ? ['GET', '', undefined] : ['POST', '{"Test":"test"}', 'application/json'],
  );
});

test('where nobody is, nobody is live', async () => {
  const server = await serve(() => {});
  await server[Symbol.asyncDispose]();
  expect(await isLiveAddress(`${server.url}/answer`)).toBe(false);
  expect(await isLiveAddress('no address')).toBe(false);
});

test('whoever does not answer within 3 s is not live', async () => {
  using _clock = new HastyClock();
  await using server = await serve(() => {});
  const askedAt = Date.now();
  expect(await isLiveAddress(`${server.url}/answer`)).toBe(false);
  const waitedMs = Date.now() - askedAt;
  expect(waitedMs).toBeGreaterThanOrEqual(3_000);
  expect(waitedMs).toBeLessThan(3_500);
});

test('waiting for whoever does not answer can be given up', async () => {
  const giveUp = new AbortController();
  await using server = await serve(() => giveUp.abort(new Error('given up')));
  await expect(isLiveAddress(`${server.url}/answer`, giveUp.signal)).rejects.toThrow('given up');
});

test('a runner with rooms is live', async () => {
  const rooms = await HandRooms.start();
  await using under = new RunnerUnderTest({ ...IN_PROCESS, provider: roomsAccess(rooms.url) });
  try {
    await under.runner.start();
    expect(await isLiveAddress(`${under.runner.url}/rooms-dialin-webhook`)).toBe(true);
  } finally {
    await rooms[Symbol.asyncDispose]();
  }
});

test('a runner with a carrier is live, and warns of no webhook that was only to find that out', async () => {
  const warned: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) };
  await using under = new RunnerUnderTest({ ...IN_PROCESS, logger });
  await under.runner.start();
  expect(await isLiveAddress(`${under.runner.url}/answer`)).toBe(true);
  expect(warned).toEqual([]);
  const forged = await fetch(`${under.runner.url}/answer?CallUUID=${randomUUID()}`, {
    headers: { 'user-agent': 'voicebot' },
  });
  expect(forged.status).toBe(403);
  expect(warned).toEqual([expect.stringMatching(/^webhook refused: (?:no|bad) signature$/)]);
});
