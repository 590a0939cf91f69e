import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { WebSocketServer } from 'ws';
import { levelDb } from '../../../../src/base/audio/level.js';
import type { VoicebotError } from '../../../../src/base/errors.js';
import type { WireParticipant } from '../../../../src/providers/rooms/client-messages.js';
import type { JoinOptions, RoomConnection, RoomEvents } from '../../../../src/providers/rooms/room-connection.js';
import { isRoomClosed } from '../../../../src/providers/rooms/room-refusal.js';
import { preloadWebRtc } from '../../../../src/providers/rooms/webrtc/peer-audio.js';
import { ROOM_PROTOCOL } from '../../../../src/providers/rooms/webrtc/room-wire.js';
import { joinWebRtcRoom } from '../../../../src/providers/rooms/webrtc/web-rtc-connection.js';
import { sine } from '../../../base/audio/signals.js';
import { HastyClock } from '../../../hasty-clock.js';
import { admit, FakeRoomServer, refuse, type Welcome } from './fake-room-server.js';

const TOKEN = 'secret-token-of-the-room';

const CALLER: WireParticipant = {
  session_id: 'caller',
  user_name: 'Caller',
  owner: false,
  participantType: 'pstn-dial-in',
};

beforeAll(preloadWebRtc);

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServer(welcome?: Welcome): Promise<FakeRoomServer> {
  const server = await FakeRoomServer.start(welcome);
  closers.push(() => server.close());
  return server;
}

async function join(roomUrl: string, options: Partial<JoinOptions> = {}): Promise<RoomConnection> {
  const connection = await joinWebRtcRoom({
    roomUrl,
    token: TOKEN,
    userName: 'bot',
    sampleRate: 8_000,
    limitMs: 5_000,
    ...options,
  });
  closers.push(() => connection.leave());
  return connection;
}

/** Why joining fails. */
async function refusal(roomUrl: string, options: Partial<JoinOptions> = {}): Promise<VoicebotError> {
  const error = await join(roomUrl, options).then(
    () => undefined,
    (failure: VoicebotError) => failure,
  );
  if (!error) throw new Error('the room was joined');
  expect(error.code).toBe('VB_ROOM_JOIN_FAILED');
  expect(JSON.stringify([error.message, error.hint])).not.toContain(TOKEN);
  return error;
}

const next = <Name extends keyof RoomEvents>(connection: RoomConnection, name: Name): Promise<RoomEvents[Name][0]> =>
  new Promise((resolve) => {
    connection.on(name, (...args: RoomEvents[Name]) => resolve(args[0]));
  });

const ignore = (): void => {};

describe('joining', () => {
  test('shows the token and gives the session and the others', async () => {
    const self = { ...CALLER, session_id: 'me' };
    const server = await startServer(admit([CALLER, self]));
    const connection = await join(server.url);
    expect(server.client.received).toEqual([
      { type: 'join', token: TOKEN, userName: 'bot', sdp: expect.stringContaining('m=audio') },
    ]);
    expect(connection.sessionId).toBe('me');
    expect([...connection.participants]).toEqual([
      ['caller', { sessionId: 'caller', userName: 'Caller', isOwner: false, kind: 'dial-in' }],
    ]);
  });

  test.each([
    { sampleRate: 8_000, codec: 'PCMU' },
    { sampleRate: 16_000, codec: 'opus' },
  ])('likes $codec best at $sampleRate Hz', async ({ sampleRate, codec }) => {
    const server = await startServer();
    await join(server.url, { sampleRate });
    expect(server.client.peer?.codec).toBe(codec);
  });

  test.each([
    ['exp-token', /new token/],
    ['not-allowed', /this very room/],
    ['no-room', /create the room/],
    ['exp-room', /new room/],
    ['meeting-full', /max_participants/],
    ['nbf-token', /clock/],
    ['nbf-room', /clock/],
    ['account-missing-payment-method', /payment card/],
  ])('is refused with %s in the words of the provider', async (error, hint) => {
    const server = await startServer(refuse(error, `words about ${TOKEN} and +12025550101`));
    const refused = await refusal(server.url);
    expect(refused.message).toContain(error);
    expect(refused.message).toContain('words about [redacted] and [number]');
    expect(refused.hint).toMatch(hint);
    await server.client.left;
  });

  test('fails when the server never answers, and closes what it opened', async () => {
    const server = await startServer(ignore);
    expect((await refusal(server.url, { limitMs: 300 })).message).toContain('within 300 ms');
    await server.client.left;
  });

  test('fails when the server does not even open the socket', async () => {
    const silent: Server = createTcpServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => silent.close(resolve)));
    const { port } = silent.address() as AddressInfo;
    expect((await refusal(`http://127.0.0.1:${port}/room`, { limitMs: 300 })).message).toContain('within 300 ms');
  });

  test('fails when media does not flow', async () => {
    const server = await startServer(async (client, message) => {
      await admit()(client, { ...message, sdp: message.sdp.replace(/a=ice-pwd:.*/, `a=ice-pwd:${'0'.repeat(22)}`) });
    });
    expect((await refusal(server.url, { limitMs: 500 })).message).toContain('within 500 ms');
    await server.client.left;
  });

  test('is given up by a signal, at once or later', async () => {
    const giveUp = new AbortController();
    const server = await startServer(() => giveUp.abort());
    expect((await refusal(server.url, { signal: giveUp.signal })).message).toContain('given up');
    await server.client.left;
    expect((await refusal(server.url, { signal: AbortSignal.abort() })).message).toContain('given up');
  });

  const binary = Buffer.from('{"type":"ejected","reason":"over"}');
  test.each(['garbage', '{"type":"joined"}', '[]', binary])('fails when the server answers %s', async (garbage) => {
    const server = await startServer((client) => client.socket.send(garbage));
    expect((await refusal(server.url)).message).toContain('unreadable');
    await server.client.left;
  });

  test('fails when the server answers without audio', async () => {
    const server = await startServer((client) => {
      client.send({ type: 'joined', sessionId: 'me', sdp: 'v=0', participants: [] });
    });
    expect((await refusal(server.url)).message).toContain('the answer');
    await server.client.left;
  });

  test('fails when the server closes the socket', async () => {
    const server = await startServer((client) => client.socket.close(1011));
    expect((await refusal(server.url)).message).toContain('closed the connection (1011)');
  });

  test.each([
    [200, undefined],
    [404, undefined],
    [302, '/elsewhere'],
  ])('says what to do when the room answers %i', async (status, location) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, location ? { location } : {}).end();
    });
    server.on('upgrade', (_request, socket) => {
      const moved = location ? `Location: ${location}\r\n` : '';
      socket.end(`HTTP/1.1 ${status} Other\r\n${moved}Content-Length: 0\r\n\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const error = await refusal(`http://127.0.0.1:${(server.address() as AddressInfo).port}/room/lobby`);
    expect(error.message).toContain(String(status));
    expect(error.hint).toContain('connect');
  });

  test('says that the room is a web page, and what to do', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><title>Join</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const error = await refusal(`http://127.0.0.1:${(server.address() as AddressInfo).port}/lobby`);
    expect(error.message).toContain('a web page (200) where a room was expected');
    expect(error.hint).toContain('ROOMS_CLIENT=browser');
  });

  test('says what to do when the room speaks another protocol', async () => {
    const other = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false });
    closers.push(() => new Promise((resolve) => other.close(resolve)));
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const error = await refusal(`http://127.0.0.1:${port}/room/lobby`);
    expect(error.message).toContain('another protocol');
    expect(error.hint).toContain('connect');
    for (const socket of other.clients) socket.terminate();
  });

  test('says that the room cannot be reached', async () => {
    const server = await FakeRoomServer.start();
    const { url } = server;
    await server.close();
    const error = await refusal(url);
    expect(error.message).toContain('failed');
    expect(error.hint).toContain(new URL(url).origin);
  });

  test.each(['room', 'ftp://127.0.0.1/room', ''])('fails for the address %j', async (roomUrl) => {
    expect((await refusal(roomUrl)).message).toContain('address');
  });
});

describe('in the room', () => {
  test('both sides hear each other', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    const tone = sine(440, 8_000, 160 * 50);
    const loud = { here: 0, there: 0 };
    await new Promise<void>((resolve) => {
      let n = 0;
      connection.start((pcm) => {
        expect(pcm).toHaveLength(160);
        const frame = tone.slice((n % 50) * 160, ((n % 50) + 1) * 160);
        n += 1;
        connection.say(frame);
        server.client.peer?.say(frame);
        if (levelDb(pcm) > -20) loud.here += 1;
        if (levelDb(server.client.peer?.hear() ?? pcm) > -20) loud.there += 1;
        if (loud.here > 10 && loud.there > 10) resolve();
      });
    });
  });

  test('events wait until somebody listens, and keep their order', async () => {
    const said = jest.spyOn(console, 'error').mockImplementation(() => {});
    const server = await startServer(async (client, message) => {
      await admit()(client, message);
      client.tell('participant-joined', { participant: CALLER });
      client.tell('dialin-ready', { sipEndpoint: 'sip:a@b' });
      client.tell('something-new', { sessionId: 'x' });
      client.tell('dialin-connected', { sessionId: 'caller', sipFrom: '+12025550142' });
    });
    const connection = await join(server.url);
    expect(connection.participants.has('caller')).toBe(true);
    expect(said.mock.calls).toEqual([[expect.stringMatching(/means nothing here: something-new$/)]]);
    said.mockRestore();
    const told: unknown[] = [];
    connection.on('participant_joined', (participant) => told.push(['joined', participant.sessionId]));
    connection.on('dialin_ready', (data) => told.push(['ready', data.sipEndpoint]));
    connection.on('dialin_connected', (data) => told.push(['connected', data.sipFrom]));
    connection.on('dtmf', (data) => told.push(['dtmf', data.digit]));
    const last = next(connection, 'dtmf');
    connection.start(ignore);
    expect(told.slice(0, 3)).toEqual([
      ['joined', 'caller'],
      ['ready', 'sip:a@b'],
      ['connected', '+12025550142'],
    ]);
    server.client.socket.send('garbage');
    server.client.tell('dtmf-event', { tone: '7', sessionId: 'caller' });
    await last;
    expect(told.at(-1)).toEqual(['dtmf', '7']);
  });

  test('participants come and go', async () => {
    const server = await startServer(admit([CALLER]));
    const connection = await join(server.url);
    connection.start(ignore);
    const left = next(connection, 'participant_left');
    server.client.tell('participant-joined', { participant: { ...CALLER, session_id: 'me' } });
    server.client.tell('participant-left', { participant: CALLER });
    expect((await left).sessionId).toBe('caller');
    expect(connection.participants.size).toBe(0);
  });

  test('gives up when nobody ever listens to what happens', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    for (let n = 0; n < 1_001; n += 1) server.client.tell('dialin-stopped', { sessionId: 's' });
    await server.client.left;
    const left = next(connection, 'left');
    connection.start(ignore);
    expect((await left).error?.message).toContain('the connection was not started');
  });
});

describe('requests', () => {
  const REQUESTS = [
    [
      'startDialOut',
      (room: RoomConnection) => room.startDialout({ phoneNumber: '+12025550101', displayName: 'Bot', callerId: 'id' }),
      { phoneNumber: '+12025550101', displayName: 'Bot', callerId: 'id' },
      { session: { sessionId: 'leg' } },
    ],
    [
      'startDialOut',
      (room: RoomConnection) => room.startDialout({ sipUri: 'sip:a@b' }),
      { sipUri: 'sip:a@b' },
      { sessionId: 'leg' },
    ],
    ['stopDialOut', (room: RoomConnection) => room.stopDialout({ sessionId: 'leg' }), { sessionId: 'leg' }, {}],
    [
      'sendDTMF',
      (room: RoomConnection) => room.sendDtmf({ sessionId: 'leg', tones: '12#' }),
      { sessionId: 'leg', tones: '12#' },
      undefined,
    ],
    [
      'sipCallTransfer',
      (room: RoomConnection) => room.sipCallTransfer({ sessionId: 'leg', toEndPoint: '+12025550101' }),
      { sessionId: 'leg', toEndPoint: '+12025550101' },
      { ok: true },
    ],
    [
      'sipRefer',
      (room: RoomConnection) => room.sipRefer({ sessionId: 'leg', toEndPoint: 'sip:a@b' }),
      { sessionId: 'leg', toEndPoint: 'sip:a@b' },
      { ok: true },
    ],
    ['eject', (room: RoomConnection) => room.eject(['a', 'b']), { ids: ['a', 'b'] }, {}],
  ] as const;

  test('are sent as the room takes them, and resolve with its answer', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    for (const [at, [method, call, params, result]] of REQUESTS.entries()) {
      const called = call(connection);
      const id = at + 1;
      expect(await server.client.request(id)).toEqual({ type: 'request', id, method, params });
      server.client.send({ type: 'response', id: 99, result: {} });
      server.client.send({ type: 'response', id, result });
      expect(await called).toEqual(method === 'startDialOut' ? { sessionId: 'leg' } : undefined);
    }
  });

  test('are answered each by its own answer', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    const first = connection.startDialout({ phoneNumber: '+12025550101' });
    const second = connection.startDialout({ phoneNumber: '+12025550102' });
    await server.client.request(2);
    server.client.send({ type: 'response', id: 2, result: { sessionId: 'second' } });
    server.client.send({ type: 'response', id: 1, result: { sessionId: 'first' } });
    expect(await Promise.all([first, second])).toEqual([{ sessionId: 'first' }, { sessionId: 'second' }]);
  });

  test('fail with the words of the provider, and what to do about them', async () => {
    const info = 'dial-out not enabled for room. add enable_dialout property to room';
    const server = await startServer();
    const connection = await join(server.url);
    const called = connection.startDialout({ phoneNumber: '+12025550101' });
    const { id } = await server.client.request();
    server.client.send({ type: 'response', id, error: { error: 'invalid-request-error', info } });
    await expect(called).rejects.toEqual(
      expect.objectContaining({
        code: 'VB_ROOMS_REQUEST_FAILED',
        message: expect.stringContaining(`startDialOut: invalid-request-error: ${info}`),
        hint: expect.stringContaining('create the room with dial-out'),
      }),
    );
  });

  test('are made again when the room is too busy, after a wait that doubles and is lengthened by chance', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    using _clock = new HastyClock();
    const called = connection.startDialout({ phoneNumber: '+12025550101' });
    const askedAt: number[] = [];
    for (const id of [1, 2, 3]) {
      await server.client.request(id);
      askedAt.push(performance.now());
      if (id < 3) server.client.send({ type: 'response', id, error: { error: 'rate-limit-error', info: '' } });
      else server.client.send({ type: 'response', id, result: { sessionId: 'leg' } });
    }
    expect(await called).toEqual({ sessionId: 'leg' });
    const [first = 0, second = 0, third = 0] = askedAt;
    expect(second - first).toBeGreaterThanOrEqual(1.5 * 250);
    expect(third - second).toBeGreaterThanOrEqual(1.5 * 500);
  });

  test('fail when the answer names no session', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    const called = connection.startDialout({ phoneNumber: '+12025550101' });
    const { id } = await server.client.request();
    server.client.send({ type: 'response', id, result: { ok: true } });
    await expect(called).rejects.toEqual(expect.objectContaining({ code: 'VB_ROOMS_REQUEST_FAILED' }));
  });

  test('fail after 10 s without an answer', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const called = connection.stopDialout({ sessionId: 'leg' });
    const failed = expect(called).rejects.toEqual(
      expect.objectContaining({ code: 'VB_ROOMS_REQUEST_FAILED', message: expect.stringContaining('10000 ms') }),
    );
    await jest.advanceTimersByTimeAsync(10_000);
    await failed;
  });

  test('fail when the room is lost meanwhile, and after it was left', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    const called = connection.stopDialout({ sessionId: 'leg' });
    const failed = expect(called).rejects.toEqual(expect.objectContaining({ code: 'VB_ROOMS_REQUEST_FAILED' }));
    await server.client.request();
    server.client.socket.terminate();
    await failed;
    await expect(connection.eject(['a'])).rejects.toEqual(
      expect.objectContaining({ code: 'VB_ROOMS_REQUEST_FAILED', message: expect.stringContaining('not in the room') }),
    );
  });
});

describe('the end', () => {
  /** Everything that is told about leaving, until nothing more can come. */
  async function endOf(connection: RoomConnection): Promise<RoomEvents['left'][0][]> {
    const told: RoomEvents['left'][0][] = [];
    connection.on('left', (data) => told.push(data));
    const left = next(connection, 'left');
    connection.start(ignore);
    await left;
    await connection.leave();
    return told;
  }

  test.each([
    ['the socket is lost', (server: FakeRoomServer) => server.client.socket.terminate(), /closed the connection/],
    [
      'the audio is lost',
      async (server: FakeRoomServer) => {
        await server.client.peer?.connected(5_000);
        await server.client.peer?.close();
      },
      /audio/,
    ],
    [
      'the bot is removed',
      (server: FakeRoomServer) => {
        server.client.send({ type: 'ejected', reason: 'ejected' });
        server.client.socket.close();
      },
      /removed from the room: ejected/,
    ],
  ])('comes once, with an error, when %s', async (_, happen, words) => {
    const server = await startServer();
    const connection = await join(server.url);
    await happen(server);
    const told = await endOf(connection);
    expect(told).toEqual([
      { error: expect.objectContaining({ code: 'VB_STREAM_CLOSED', message: expect.stringMatching(words) }) },
    ]);
    await server.client.left;
    connection.say(new Int16Array(160).fill(1_000));
  });

  test.each([
    ['room-deleted', true],
    ['exp-room', true],
    ['exp-token', false],
  ])('tells whether the room is gone: %s', async (reason, isClosed) => {
    const server = await startServer();
    const connection = await join(server.url);
    server.client.send({ type: 'ejected', reason });
    const [told] = await endOf(connection);
    expect(isRoomClosed(told?.error)).toBe(isClosed);
  });

  test('comes once, without an error, when the bot leaves; nothing is heard afterwards', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    const heard = jest.fn();
    const told: unknown[] = [];
    connection.on('left', (data) => told.push(data));
    await new Promise<void>((resolve) => {
      heard.mockImplementation(() => resolve());
      connection.start(heard);
    });
    await Promise.all([connection.leave(), connection.leave()]);
    const calls = heard.mock.calls.length;
    await server.client.left;
    expect(server.client.received.at(-1)).toEqual({ type: 'leave' });
    await connection.leave();
    expect(told).toEqual([{}]);
    expect(heard).toHaveBeenCalledTimes(calls);
  });

  test('takes at most a second when the server does not answer', async () => {
    const server = await startServer();
    const connection = await join(server.url);
    server.client.socket.pause();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const leaving = connection.leave();
    await jest.advanceTimersByTimeAsync(1_000);
    await leaving;
  });
});

test('several rooms are in one process', async () => {
  const servers = await Promise.all([startServer(), startServer(), startServer()]);
  const connections = await Promise.all(servers.map(({ url }) => join(url, { token: `${ROOM_PROTOCOL}-${url}` })));
  await Promise.all(connections.map((one) => new Promise<void>((resolve) => one.start(() => resolve()))));
});
