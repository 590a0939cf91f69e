import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { FrameClock } from '../../../src/base/async/frame-clock.js';
import { silentLogger } from '../../../src/base/logger.js';
import { ROOM_PROTOCOL } from '../../../src/providers/rooms/webrtc/room-wire.js';
import { SandboxSpeech } from '../../../src/sandbox/network/speech.js';
import { SandboxRoomAccount } from '../../../src/sandbox/rooms/account.js';
import { SandboxLiveRooms } from '../../../src/sandbox/rooms/live-rooms.js';
import { RoomServer, type RoomServerOptions } from '../../../src/sandbox/rooms/room-server.js';
import { signToken } from '../../../src/sandbox/rooms/room-token.js';
import { startFastSandbox } from '../fake-caller.js';
import { API_KEY, startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest, shown } from './room-guest.js';

test.each([
  ['without a token', 'not-allowed', () => ''],
  ['with a token that is none', 'not-allowed', () => 'nonsense'],
  ['with a token of another room', 'not-allowed', (token: Tokens) => token('another')],
  // A token that a client has signed itself can be so: the provider issues none that has expired.
  ['with a token that has expired', 'exp-token', (_token: Tokens, d: string) => signToken({ d, exp: 1 }, API_KEY)],
  ['with a token for later', 'nbf-token', (token: Tokens) => token(undefined, { nbf: 4_000_000_000 })],
])('lets nobody into a private room %s: %s', async (_title, error, tokenOf) => {
  await using live = await startLiveRooms();
  const room = await live.room();
  const tokens: Tokens = (roomName = room.name, properties = {}) => live.tokenFor(roomName, properties);
  const token = await tokenOf(tokens, live.domainId);
  await using guest = await RoomGuest.atTheDoor(room.url);
  expect(await guest.ask({ token })).toEqual({ type: 'refused', error, info: expect.any(String) });
  expect(await guest.closed).toEqual({ code: 1000, reason: error });
  expect(guest.events.all).toEqual([]);
});
type Tokens = (roomName?: string, properties?: object) => Promise<string>;

test('lets everybody into a public room, without a say in it', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using guest = await RoomGuest.join(room.url, { userName: 'Ada', tickMs: 2 });
  await using owner = await live.owner(room);
  expect(owner.participants).toEqual([
    shown({ session_id: guest.sessionId, user_name: 'Ada', owner: false, participantType: 'unknown' }),
  ]);
  expect(await guest.request('eject', { ids: [] })).toMatchObject({ error: { error: 'forbidden-error' } });
});

test('takes a token that is for every room', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using guest = await RoomGuest.join(room.url, { token: await live.tokenFor(undefined), tickMs: 2 });
  expect(guest.sessionId).not.toBe('');
});

test('refuses a room that is not there, not open yet, or full', async () => {
  await using live = await startLiveRooms();
  const later = await live.room({ nbf: 4_000_000_000 }, 'public');
  const small = await live.room({ max_participants: 1 }, 'public');
  await using _ = await RoomGuest.join(small.url, { tickMs: 2 });
  for (const [url, error] of [
    [`${live.sandbox.url}/nowhere`, 'no-room'],
    [later.url, 'nbf-room'],
    [small.url, 'meeting-full'],
  ] as const) {
    await using guest = await RoomGuest.atTheDoor(url);
    expect(await guest.ask()).toMatchObject({ type: 'refused', error });
  }
});

test('refuses an offer that is none', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using guest = await RoomGuest.atTheDoor(room.url);
  guest.send({ type: 'join', token: '', userName: 'x', sdp: 'v=0 nonsense' });
  expect(await guest.messages.next()).toMatchObject({ type: 'refused', error: 'connection-error' });
});

test.each([
  ['not JSON', 'nonsense'],
  ['another type', { type: 'dance' }],
  ['a join without an offer', { type: 'join', token: '', userName: 'x' }],
  ['a request before joining', { type: 'request', id: 1, method: 'eject', params: {} }],
  ['binary', Buffer.from('{"type":"leave"}')],
])('closes with 1008 on %s', async (_title, message) => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using guest = await RoomGuest.atTheDoor(room.url);
  guest.send(message);
  expect((await guest.closed).code).toBe(1008);
});

test('closes on a message that is too large, on nonsense later, and on a second join', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using large = await RoomGuest.atTheDoor(room.url);
  large.send('x'.repeat(65 * 1_024));
  expect((await large.closed).code).toBe(1009);
  await using owner = await live.owner(room);
  for (const message of ['nonsense', { type: 'join', token: '', userName: '', sdp: '' }]) {
    await using guest = await RoomGuest.join(room.url, { tickMs: 2 });
    guest.send(message);
    expect((await guest.closed).code).toBe(1008);
    expect(await owner.event('participant-left')).toMatchObject({ participant: { session_id: guest.sessionId } });
  }
});

test('takes one who leaves, whose socket is lost, or whose audio is lost out of the room', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using owner = await live.owner(room);
  const ways: ((guest: RoomGuest) => unknown)[] = [
    (guest) => guest.send({ type: 'leave' }),
    (guest) => guest.socket.terminate(),
    (guest) => guest.peer.close(),
  ];
  for (const goes of ways) {
    await using guest = await RoomGuest.join(room.url, { tickMs: 2 });
    goes(guest);
    expect(await owner.event('participant-left')).toMatchObject({ participant: { session_id: guest.sessionId } });
    await guest.closed;
  }
});

test('gives up one who leaves before audio is there', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({}, 'public');
  await using owner = await live.owner(room);
  await using guest = await RoomGuest.atTheDoor(room.url);
  guest.send({ type: 'join', token: '', userName: 'x', sdp: await guest.peer.offer() });
  guest.socket.terminate();
  await using other = await RoomGuest.join(room.url, { tickMs: 2 });
  await owner.event('participant-joined');
  const { body } = await live.rest('GET', `/rooms/${room.name}/presence`);
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual([owner.sessionId, other.sessionId].sort());
});

const refusedUpgrade = async (url: string, protocols: string[], headers: Record<string, string> = {}) => {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers });
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  return (error as Error).message;
};

test('refuses sockets of other protocols and to other paths', async () => {
  await using live = await startLiveRooms();
  const { url } = await live.room();
  expect(await refusedUpgrade(url, [])).toMatch(/400/);
  expect(await refusedUpgrade(url, ['other'])).toMatch(/400/);
  expect(await refusedUpgrade(`${live.sandbox.url}/a/b`, [ROOM_PROTOCOL])).toMatch(/404/);
  expect(await refusedUpgrade(`${live.sandbox.url}/`, [ROOM_PROTOCOL])).toMatch(/404/);
});

test.each([
  ['another site', { origin: 'https://example.com' }],
  ['no site', { origin: 'null' }],
  ['a site whose name begins like this machine', { origin: 'http://127.0.0.1.example.com' }],
  ['something that is not a web page', { origin: 'chrome-extension://localhost' }],
  ['a site whose name leads to this machine', { origin: 'http://rebound.example', host: 'rebound.example' }],
  ['this machine, by a name of another', { origin: 'http://127.0.0.1:7860', host: 'rebound.example' }],
])('refuses a page of %s', async (_title, headers) => {
  await using live = await startLiveRooms();
  const { url } = await live.room();
  expect(await refusedUpgrade(url, [ROOM_PROTOCOL], headers)).toMatch(/403/);
});

test('lets in the pages of this machine, whatever their port', async () => {
  await using live = await startLiveRooms();
  const { url } = await live.room();
  const { port } = new URL(url);
  for (const origin of [live.sandbox.url, 'http://127.0.0.1:1', 'http://localhost:7860', 'http://[::1]:7860']) {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const socket = new WebSocket(url.replace(/^http/, 'ws'), [ROOM_PROTOCOL], { origin, headers: { host } });
      await once(socket, 'open');
      socket.terminate();
    }
  }
});

test('serves the client of its rooms to pages of any origin', async () => {
  await using live = await startLiveRooms();
  const response = await fetch(`${live.sandbox.url}/client.js`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-store',
  });
  expect(await response.text()).toMatch(/\bcreateCallObject\b[\s\S]*\bexport \{\s*\w+ as default\s*\}/);
  expect(await refusedUpgrade(`${live.sandbox.url}/client.js`, [ROOM_PROTOCOL])).toMatch(/404/);
});

test('shows a page at the room’s address that may do nothing but what is in it', async () => {
  await using live = await startLiveRooms();
  const { url } = await live.room();
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/);
  const page = await response.text();
  expect(page).not.toMatch(/\b(src|href)="(?!data:)/);
  // What lies below is not the room's: the carrier's API asks for its account.
  expect((await fetch(`${url}/more`)).status).toBe(401);
});

test('is not there in a sandbox without a room provider', async () => {
  await using sandbox = await startFastSandbox();
  for (const url of [`${sandbox.roomsApiUrl}/`, `${sandbox.url}/one`, `${sandbox.url}/client.js`])
    expect((await fetch(url)).status).toBe(404);
  expect(await refusedUpgrade(`${sandbox.url}/one`, [ROOM_PROTOCOL])).toMatch(/404/);
  expect(sandbox.mixing).toBeUndefined();
});

/** The server without a sandbox around it, so that its patience can be set. */
async function serve(options: Partial<RoomServerOptions>) {
  const server: Server = createServer();
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = new SandboxRoomAccount({ apiKey: 'key', baseUrl: url, logger: silentLogger });
  const network = {
    clock: new FrameClock(2),
    speech: new SandboxSpeech(),
    dialForeign: () => {
      throw new Error('nobody dials');
    },
  };
  const live = new SandboxLiveRooms({
    account,
    network,
    webhooks: { send: () => Promise.reject(new Error('nobody calls')) },
    transferOrder: 'leaves_at_once',
    takeDialout: () => {},
    now: Date.now,
    logger: silentLogger,
  });
  const rooms = new RoomServer({ account, live, now: Date.now, logger: silentLogger, ...options });
  server.on('upgrade', (request, socket, head) => rooms.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    room: account.rooms.create({ name: 'one', privacy: 'public' }),
    live,
    async [Symbol.asyncDispose]() {
      await live.close();
      await rooms.close();
      server.close();
    },
  };
}

test('closes a socket on which nobody asks to join', async () => {
  await using server = await serve({ joinLimitMs: 50 });
  await using guest = await RoomGuest.atTheDoor(server.room.url);
  expect(await guest.closed).toEqual({ code: 1008, reason: 'the client has not asked to join in time' });
});

test('gives up one who does not answer a ping', async () => {
  await using server = await serve({ keepaliveMs: 300 });
  await using alive = await RoomGuest.join(server.room.url, { tickMs: 2 });
  await using dead = await RoomGuest.join(server.room.url, { tickMs: 2 });
  dead.socket.pong = () => {};
  const raw = dead.socket as unknown as { _autoPong: boolean };
  raw._autoPong = false;
  expect(await alive.event('participant-left')).toMatchObject({ participant: { session_id: dead.sessionId } });
  expect((await dead.closed).code).toBe(1006);
  expect(server.live.presence('one')).toHaveLength(1);
});
