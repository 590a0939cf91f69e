/** What every way into a room must do, on the sandbox's rooms: what is told, what is refused in which words, and what is heard. */

import { Resampler } from '../../../../src/base/audio/resampler.js';
import { joinRoomFor } from '../../../../src/bot/transports/room/join-room.js';
import { daily } from '../../../../src/providers/daily/provider.js';
import type { JoinOptions, RoomConnection, RoomEvents } from '../../../../src/providers/rooms/room-connection.js';
import { until } from '../../../e2e/processes.js';
import { browserOf } from '../../../providers/daily/client/page-host.js';
import { ROOMS_CLIENTS } from '../../../runner/runner-on-sandbox.js';
import { Inbox } from '../../../sandbox/inbox.js';
import { listen, measure, startLiveRooms } from '../../../sandbox/rooms/live-rooms-under-test.js';

const [BOT_HZ, GUEST_HZ] = [500, 1_000];
const NAMES = [
  ...(['participant_joined', 'participant_left', 'dialin_ready', 'dialin_connected', 'dialin_stopped'] as const),
  ...(['dialout_connected', 'dialout_answered', 'dialout_stopped', 'dialout_error', 'dtmf', 'left'] as const),
] satisfies (keyof RoomEvents)[];

/** What has been told of a room: the event, and of whom. */
type Told = [event: keyof RoomEvents, data: Record<string, unknown>];

const browser = browserOf();
let live: Awaited<ReturnType<typeof startLiveRooms>>;
const open: RoomConnection[] = [];

beforeAll(async () => {
  live = await startLiveRooms({ timing: { tickMs: 20 } });
  await browser.start();
}, 30_000);

afterEach(() => Promise.all(open.splice(0).map((connection) => connection.leave())));

afterAll(async () => {
  await browser.close();
  await live[Symbol.asyncDispose]();
}, 20_000);

describe.each(ROOMS_CLIENTS)('the %s client', (client) => {
  async function join(roomUrl: string, token: string, more: Partial<JoinOptions> = {}): Promise<RoomConnection> {
    const joinRoom = await joinRoomFor(daily, roomUrl, { pages: client === 'browser' ? browser : undefined });
    const connection = await joinRoom({
      ...{ roomUrl, token, userName: 'Bot', sampleRate: 16_000, limitMs: 10_000 },
      ...more,
    });
    open.push(connection);
    return connection;
  }

  const ownerOf = ({ name }: { name: string }) => live.tokenFor(name, { is_owner: true });

  test('knows who is there, and tells what happens in its order', async () => {
    const room = await live.room();
    await using owner = await live.owner(room, 'Ada');
    const connection = await join(room.url, await ownerOf(room));
    expect([...connection.participants.values()]).toEqual([
      { sessionId: owner.sessionId, userName: 'Ada', isOwner: true, kind: 'web' },
    ]);
    const told = new Inbox<Told>();
    for (const name of NAMES) connection.on(name, (data: object) => told.push([name, { ...data }]));
    connection.start(() => {});
    const tells = async (event: string) => (await told.next(([name]) => name === event))[1];

    expect(await tells('dialin_ready')).toEqual({ sipEndpoint: `sip:${room.endpoint}` });
    const { caller, callId } = await live.caller();
    await using _ = caller;
    await live.forward(callId, room.endpoint);
    const { sessionId } = await tells('participant_joined');
    caller.client.press('7');
    expect(await tells('dtmf')).toEqual({ digit: '7', sessionId });
    expect([...connection.participants.keys()]).toEqual([owner.sessionId, sessionId]);
    caller.client.hangUp();
    await tells('dialin_stopped');
    await until(() => connection.participants.size === 1, 'the caller has left');
    await owner[Symbol.asyncDispose]();
    await until(() => connection.participants.size === 0, 'everybody has left');
    await connection.leave();
    await connection.leave(); // which does nothing

    const isCaller = { sessionId, sipFrom: expect.any(String), sipEndpoint: `sip:${room.endpoint}` };
    const asParticipant = { sessionId, userName: expect.any(String), isOwner: false, kind: 'dial-in' };
    const ada = expect.objectContaining({ userName: 'Ada' });
    const all = told.all.filter(([name]) => name !== 'dialin_ready');
    expect(all.slice(0, 3)).toEqual([
      ['dialin_connected', isCaller],
      ['participant_joined', asParticipant],
      ['dtmf', { digit: '7', sessionId }],
    ]);
    // Which of the two comes first is not agreed.
    expect(all.slice(3, 5)).toEqual(
      expect.arrayContaining([
        ['dialin_stopped', isCaller],
        ['participant_left', asParticipant],
      ]),
    );
    expect(all.slice(5)).toEqual([
      ['participant_left', ada],
      ['left', {}],
    ]);
  }, 40_000);

  test.each([8_000, 16_000])(
    'hears and is heard at %i Hz',
    async (sampleRate) => {
      const room = await live.room();
      await using guest = await live.owner(room, 'Ada');
      guest.hum(GUEST_HZ);
      const connection = await join(room.url, await ownerOf(room), { sampleRate });
      const heard = new Inbox<Int16Array>();
      const resampler = new Resampler(sampleRate, 8_000);
      let at = 0;
      connection.start((pcm) => {
        expect(pcm).toHaveLength(sampleRate / 50);
        const next = () => 8_000 * Math.sin((2 * Math.PI * BOT_HZ * at++) / sampleRate);
        connection.say(Int16Array.from(pcm, next));
        heard.push(resampler.process(pcm));
      });
      const isHeard = async (inbox: Inbox<Int16Array>, pitch: number) => {
        const { purity, level } = measure(await listen(inbox, 10), pitch);
        return purity > 0.9 && level > -20;
      };
      await until(() => isHeard(heard, GUEST_HZ), 'the bot hears the guest');
      await until(() => isHeard(guest.heard, BOT_HZ), 'the guest hears the bot');
    },
    40_000,
  );

  test('calls somebody, presses keys, hangs up, and is refused in the words of the provider', async () => {
    const room = await live.room();
    const connection = await join(room.url, await ownerOf(room));
    const told = new Inbox<Told>();
    for (const name of NAMES) connection.on(name, (data: object) => told.push([name, { ...data }]));
    connection.start(() => {});
    const { sessionId } = await connection.startDialout({ phoneNumber: '+12025550101', displayName: 'Operator' });
    const joined = await told.next(([name]) => name === 'participant_joined', 15_000);
    expect(joined[1]).toEqual({ sessionId, userName: 'Operator', isOwner: false, kind: 'dial-out' });
    const leg = { sessionId, destination: '+12025550101' };
    for (const name of ['dialout_connected', 'dialout_answered']) {
      expect(told.all).toContainEqual([name, expect.objectContaining(leg)]);
    }
    await connection.sendDtmf({ sessionId, tones: '1#' });
    await connection.stopDialout({ sessionId });
    await told.next(([name]) => name === 'dialout_stopped');
    for (const [ask, words] of [
      [connection.stopDialout({ sessionId }), /^.*stopDialOut: not-found: no dial-out to stop$/],
      [connection.sendDtmf({ sessionId: 'nobody', tones: '1' }), /sendDTMF: /],
      [connection.sipCallTransfer({ sessionId: 'nobody', toEndPoint: '+12025550101' }), /sipCallTransfer: /],
      [connection.sipRefer({ sessionId: 'nobody', toEndPoint: 'sip:a@b' }), /sipRefer: /],
    ] as const) {
      await expect(ask).rejects.toMatchObject({
        code: 'VB_ROOMS_REQUEST_FAILED',
        message: expect.stringMatching(words),
      });
    }
    await connection.leave();
    await expect(connection.stopDialout({ sessionId })).rejects.toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      message: expect.stringContaining('stopDialOut: not in the room'),
    });
  }, 40_000);

  test('has what callers say transcribed, by an owner’s token only', async () => {
    const room = await live.room();
    await using owner = await live.owner(room, 'Ada');
    const connection = await join(room.url, await ownerOf(room));
    const told = new Inbox<Told>();
    const names = ['started', 'message', 'stopped', 'error'] as const;
    for (const name of names) {
      const event = `transcription_${name}` as const;
      connection.on(event, (data: object) => told.push([event, { ...data }]));
    }
    connection.start(() => {});
    const { caller, sessionId } = await live.callerIn(room, owner);
    await using _ = caller;
    await connection.startTranscription?.({ instanceId: 'ours', language: 'en' });
    expect(await told.next()).toEqual([
      'transcription_started',
      { instanceId: 'ours', startedBy: connection.sessionId },
    ]);
    caller.client.spoke('My name is Ada.');
    const words = { instanceId: 'ours', sessionId, text: 'My name is Ada.' };
    expect(await told.next()).toEqual(['transcription_message', { ...words, isFinal: false, endsUtterance: false }]);
    expect(await told.next()).toEqual(['transcription_message', { ...words, isFinal: true, endsUtterance: true }]);
    await connection.updateTranscription?.({ instanceId: 'ours', participants: [sessionId] });
    await connection.stopTranscription?.({ instanceId: 'ours' });
    expect(await told.next()).toEqual(['transcription_stopped', { instanceId: 'ours' }]);

    const guest = await join(room.url, await live.tokenFor(room.name, { is_owner: false }));
    guest.start(() => {});
    await guest.startTranscription?.({ instanceId: 'theirs' });
    const errorMsg = expect.stringContaining('are you a room owner');
    expect(await told.next()).toEqual(['transcription_error', { instanceId: 'theirs', errorMsg }]);
  }, 60_000);

  test('has a caller transferred, and removes who is in the room', async () => {
    const room = await live.room();
    const connection = await join(room.url, await ownerOf(room));
    const told = new Inbox<Told>();
    for (const name of NAMES) connection.on(name, (data: object) => told.push([name, { ...data }]));
    connection.start(() => {});
    await using guest = await live.owner(room, 'Ada');
    const { caller, callId } = await live.caller();
    await using _ = caller;
    await live.forward(callId, room.endpoint);
    const [, { sessionId }] = await told.next(([, { kind }]) => kind === 'dial-in');
    await connection.sipCallTransfer({ sessionId: `${sessionId}`, toEndPoint: '+12025550101' });
    await told.next(([name, data]) => name === 'participant_left' && data.sessionId === sessionId);
    await told.next(([name]) => name === 'dialout_answered', 15_000);
    await connection.eject([guest.sessionId, 'nobody']);
    await told.next(([name, data]) => name === 'participant_left' && data.sessionId === guest.sessionId);
    expect(connection.participants.size).toBe(0);
  }, 40_000);

  test('that is removed has left, and is told so once', async () => {
    const room = await live.room();
    await using owner = await live.owner(room, 'Ada');
    const connection = await join(room.url, await ownerOf(room));
    const left = new Inbox<{ readonly error?: Error }>();
    connection.on('left', (data) => left.push(data));
    connection.start(() => {});
    await owner.request('eject', { ids: [connection.sessionId] });
    expect((await left.next()).error).toMatchObject({
      code: 'VB_STREAM_CLOSED',
      message: expect.stringMatching(/removed from the room: /),
    });
    await connection.leave();
    expect(left.all).toHaveLength(1);
  }, 40_000);

  const now = () => Math.floor(Date.now() / 1_000);

  test.each<[type: string, words: string, hint: RegExp, door: () => Promise<[url: string, token: string]>]>([
    [
      'exp-token',
      'the token has expired',
      /new token/,
      async () => {
        const exp = now() + 2; // a token that has expired is not given out
        const door = await doorOf({}, { exp });
        await until(() => now() > exp, 'the token expires');
        return door;
      },
    ],
    ['nbf-token', 'the token is not valid yet', /clock/, async () => doorOf({}, { nbf: now() + 100 })],
    [
      'not-allowed',
      'the token is for another room',
      /this very room/,
      async () => [(await live.room()).url, await ownerOf(await live.room())],
    ],
    [
      'not-allowed',
      'the token is not valid',
      /this very room/,
      async () => [(await live.room()).url, 'ey.foreign.tok'],
    ],
    ['not-allowed', 'a token is needed', /this very room/, async () => [(await live.room()).url, '']],
    ['nbf-room', 'the room is not open yet', /clock/, async () => doorOf({ nbf: now() + 100 })],
    [
      'no-room',
      'the room does not exist',
      /create the room/,
      async () => {
        const room = await live.room();
        const token = await ownerOf(room);
        await live.rest('DELETE', `/rooms/${room.name}`);
        return [room.url, token];
      },
    ],
  ])('is not let in: %s, %s', async (type, words, hint, door) => {
    const [url, token] = await door();
    const refused = await join(url, token).catch((error: Error) => error);
    expect(refused).toMatchObject({
      code: 'VB_ROOM_JOIN_FAILED',
      message: expect.stringContaining(`${type}: `),
      hint: expect.stringMatching(hint),
    });
    expect(refused).toMatchObject({ message: expect.stringContaining(words) });
  });

  test('is not let into a room that is full', async () => {
    const room = await live.room({ max_participants: 1 });
    await using _ = await live.owner(room, 'Ada');
    await expect(join(room.url, await ownerOf(room))).rejects.toMatchObject({
      code: 'VB_ROOM_JOIN_FAILED',
      message: expect.stringContaining('meeting-full'),
      hint: expect.stringContaining('max_participants'),
    });
  });

  test('gives up joining when asked to, and leaves nobody behind', async () => {
    const room = await live.room();
    await using owner = await live.owner(room, 'Ada');
    const giveUp = new AbortController();
    const joining = join(room.url, await ownerOf(room), { signal: giveUp.signal });
    giveUp.abort();
    await expect(joining).rejects.toMatchObject({
      code: 'VB_ROOM_JOIN_FAILED',
      message: expect.stringContaining('joining was given up'),
    });
    const { body } = await live.rest('GET', `/rooms/${room.name}/presence`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([owner.sessionId]);
  });

  async function doorOf(properties: object, ofToken: object = {}): Promise<[url: string, token: string]> {
    const room = await live.room(properties);
    return [room.url, await live.tokenFor(room.name, { is_owner: true, ...ofToken })];
  }
});
