import { joinWithBrowser } from '../../../../src/providers/daily/client/join-through-browser.js';
import type { FromPage } from '../../../../src/providers/daily/client/wire.js';
import type { WireParticipant } from '../../../../src/providers/rooms/client-messages.js';
import type { JoinedRoom } from '../../../../src/providers/rooms/joined-room.js';
import type { RoomParticipant } from '../../../../src/providers/rooms/room-connection.js';
import { isRoomClosed } from '../../../../src/providers/rooms/room-refusal.js';
import { until } from '../../../e2e/processes.js';
import { Inbox } from '../../../sandbox/inbox.js';
import { FakePages, JOINED } from './fake-pages.js';

const ROOM = { roomUrl: 'https://example.daily.co/r', token: 'secret-token', userName: 'Bot', sampleRate: 16_000 };
const CLIENT = { url: 'http://127.0.0.1/client.js' };

/** `called-…` was called out of the room. */
const person = (session_id: string): WireParticipant => ({
  session_id,
  user_name: session_id,
  owner: false,
  participantType: session_id.startsWith('called-') ? 'pstn-dial-out' : 'pstn-dial-in',
});
const joinedAs = (sessionId: string, ...others: string[]): FromPage => ({
  type: 'joined',
  sessionId,
  participants: others.map(person),
});
const refused = (error: string): FromPage => ({ type: 'failed', what: 'room', error: { error, info: 'so it is' } });

let pages: FakePages;
let room: JoinedRoom | undefined;
let said: string[];

beforeEach(() => {
  pages = new FakePages();
  room = undefined;
  said = [];
  jest.spyOn(console, 'error').mockImplementation((words) => void said.push(String(words)));
});

afterEach(async () => {
  await room?.leave();
  jest.restoreAllMocks();
});

async function join(limitMs = 5_000, signal?: AbortSignal): Promise<JoinedRoom> {
  room = await joinWithBrowser({ ...ROOM, limitMs, ...(signal && { signal }) }, { pages, client: CLIENT });
  return room;
}

test('tells the page what to join, and knows who is there', async () => {
  pages.welcomes = [joinedAs('me', 'caller')];
  const { participants, sessionId } = await join();
  const page = await pages.opened.next();
  expect(await page.messages.next()).toEqual({ type: 'join', module: CLIENT.url, ...ROOM });
  expect(sessionId).toBe('me');
  expect([...participants.values()]).toEqual([
    { sessionId: 'caller', userName: 'caller', isOwner: false, kind: 'dial-in' },
  ]);
});

test('says and hears 20 ms at a time', async () => {
  const connection = await join();
  const page = await pages.opened.next();
  const heard = new Inbox<Int16Array>();
  connection.start((pcm) => heard.push(pcm));
  page.heard = new Int16Array(320).fill(1_000);
  expect((await heard.next((pcm) => pcm[319] === 1_000)).length).toBe(320);
  connection.say(new Int16Array(320).fill(77));
  const bytes = await page.audio.next();
  expect(bytes.length).toBe(8 + 640);
  expect(bytes.readInt16LE(8)).toBe(77);
});

test('refuses audio that is not what was agreed', async () => {
  const connection = await join();
  const page = await pages.opened.next();
  const heard = new Inbox<Int16Array>();
  connection.start((pcm) => heard.push(pcm));
  page.heard = Buffer.alloc(642, 1);
  await heard.next();
  for (let n = 0; n < 10; n += 1) await heard.next();
  page.heard = new Int16Array(320).fill(5);
  await heard.next((pcm) => pcm[319] === 5);
  expect(heard.all.some((pcm) => pcm.includes(0x0101))).toBe(false);
});

test('takes the answers and the refusals of call control to whoever has asked', async () => {
  const connection = await join();
  const page = await pages.opened.next();
  const dialling = connection.startDialout({ phoneNumber: '+12025550101' });
  const request = await page.messages.next(({ type }) => type === 'request');
  expect(request).toMatchObject({ method: 'startDialOut', params: { phoneNumber: '+12025550101' } });
  page.tell({ type: 'response', id: 1, result: { session: { sessionId: 'leg' } } });
  expect(await dialling).toEqual({ sessionId: 'leg' });
  const transferring = connection.sipCallTransfer({ sessionId: 'leg', toEndPoint: 'sip:x@y' });
  await page.messages.next(({ type }) => type === 'request');
  page.tell({ type: 'response', id: 2, error: { error: '', info: 'no: secret-token' } });
  await expect(transferring).rejects.toMatchObject({
    code: 'VB_ROOMS_REQUEST_FAILED',
    message: expect.stringMatching(/sipCallTransfer: no: \[redacted\]/),
  });
});

test('tells once of an event that nobody here knows, and ignores it', async () => {
  const connection = await join();
  const page = await pages.opened.next();
  const ready = new Promise((resolve) => connection.on('dialin_ready', resolve));
  connection.start(() => {});
  const event = { action: 'nonfatal-error', errorMsg: 'something with secret-token' };
  for (let n = 0; n < 3; n += 1) page.tell({ type: 'event', event });
  page.tell({ type: 'event', event: { action: 'dialin-ready', sipEndpoint: 'sip:a@b' } });
  await ready;
  expect(said).toEqual([expect.stringMatching(/nonfatal-error: something with \[redacted\]$/)]);
});

test.each([
  ['the provider refuses', refused('exp-token'), 'VB_ROOM_JOIN_FAILED', /exp-token: so it is/],
  [
    'its client cannot be loaded',
    { type: 'failed', what: 'client', error: { error: 'connection-error', info: 'https://x/y.js: no' } } as const,
    'VB_ROOMS_UNREACHABLE',
    /client could not be loaded: connection-error: https:\/\/x\/y\.js: no/,
  ],
  [
    'the page has no sound',
    { type: 'failed', what: 'audio', error: { error: '', info: 'no context' } } as const,
    'VB_BROWSER_FAILED',
    /no sound: no context/,
  ],
])('joining fails and leaves nothing open when %s', async (_when, welcome, code, message) => {
  pages.welcomes = [welcome];
  await expect(join()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  expect((await pages.opened.next()).isClosed).toBe(true);
});

test.each([
  ['a room of the provider', 'https://example.daily.co/r', /internet/],
  ['a room on this machine', 'http://127.0.0.1:9/r', /running sandbox/],
])('what to do when the client of %s cannot be loaded', async (_, roomUrl, hint) => {
  pages.welcomes = [
    { type: 'failed', what: 'client', error: { error: '', info: `${new URL('/client.js', roomUrl)}: no` } },
  ];
  const joining = joinWithBrowser({ ...ROOM, roomUrl, limitMs: 5_000 }, { pages, client: CLIENT });
  await expect(joining).rejects.toMatchObject({ code: 'VB_ROOMS_UNREACHABLE', hint: expect.stringMatching(hint) });
});

test('joining fails when no page can be opened', async () => {
  pages.problem = new Error('no browser');
  await expect(join()).rejects.toThrow('no browser');
});

async function crashOnTheWay(): Promise<void> {
  const page = await pages.opened.next();
  await page.messages.next();
  await page.crash();
}

test('a page that dies on the way is followed by another', async () => {
  pages.welcomes = [undefined, joinedAs('me-2')];
  const joining = join();
  await crashOnTheWay();
  expect((await joining).sessionId).toBe('me-2');
});

test('joining fails when three pages in a row die on the way', async () => {
  pages.welcomes = [undefined];
  const joining = join();
  const refusal = expect(joining).rejects.toMatchObject({ code: 'VB_BROWSER_FAILED' });
  for (let n = 0; n < 3; n += 1) await crashOnTheWay();
  await refusal;
  expect(pages.opened.all).toHaveLength(3);
});

test('joining fails when the page says nothing in time', async () => {
  pages.welcomes = [undefined];
  await expect(join(200)).rejects.toMatchObject({ message: expect.stringMatching(/not joined within 200 ms/) });
  expect((await pages.opened.next()).isClosed).toBe(true);
});

test('joining can be given up', async () => {
  pages.welcomes = [undefined];
  const abort = new AbortController();
  const joining = join(5_000, abort.signal);
  const page = await pages.opened.next();
  await page.messages.next();
  abort.abort();
  await expect(joining).rejects.toMatchObject({ message: expect.stringMatching(/given up/) });
  expect(page.isClosed).toBe(true);
});

describe('when the page is lost', () => {
  test('another one joins with the same token, and who has come and gone meanwhile is told', async () => {
    pages.welcomes = [joinedAs('me-1', 'stays', 'goes'), joinedAs('me-2', 'me-1', 'stays', 'comes')];
    const connection = await join();
    const news: string[] = [];
    const came = new Promise<RoomParticipant>((resolve) => connection.on('participant_joined', resolve));
    connection.on('rejoined', () => news.push('again'));
    connection.on('participant_joined', ({ sessionId }) => news.push(`+${sessionId}`));
    connection.on('participant_left', ({ sessionId }) => news.push(`-${sessionId}`));
    connection.start(() => {});
    const first = await pages.opened.next();
    expect([connection.breaks, connection.isBroken]).toEqual([0, false]);
    await first.crash();
    await until(() => connection.isBroken === true, 'what is said waits');
    const second = await pages.opened.next();
    expect(await second.messages.next()).toEqual({ type: 'join', module: CLIENT.url, ...ROOM });
    await came;
    expect([connection.breaks, connection.isBroken]).toEqual([1, false]);
    expect(news).toEqual(['again', '-goes', '+comes']);
    expect(connection.sessionId).toBe('me-2');
    expect(await second.messages.next()).toMatchObject({ method: 'eject', params: { ids: ['me-1'] } });
    expect(said[0]).toMatch(/lost .*joining again/);
  });

  test('somebody who was called and has answered meanwhile is told of; one whose answer was told before is not', async () => {
    pages.welcomes = [joinedAs('me-1', 'caller'), joinedAs('me-2', 'caller', 'called-1', 'called-2')];
    const connection = await join();
    const news: string[] = [];
    connection.on('dialout_answered', ({ sessionId }) => news.push(`answered ${sessionId}`));
    connection.on('participant_joined', ({ sessionId }) => news.push(`+${sessionId}`));
    connection.start(() => {});
    const first = await pages.opened.next();
    first.tell({ type: 'event', event: { action: 'dialout-answered', sessionId: 'called-2' } });
    await until(() => news.length === 1, 'the answer is told');
    await first.crash();
    await until(() => news.length === 4, 'what was missed is told');
    expect(news).toEqual(['answered called-2', 'answered called-1', '+called-1', '+called-2']);
  });

  test('what was asked for meanwhile and is waited for no more is not asked for later', async () => {
    pages.welcomes = [JOINED, undefined];
    const connection = await join();
    await (await pages.opened.next()).crash();
    const second = await pages.opened.next();
    await second.messages.next(({ type }) => type === 'join');
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'setImmediate', 'setInterval', 'queueMicrotask'] });
    const late = expect(connection.startDialout({ phoneNumber: '+12025550101' })).rejects.toMatchObject({
      message: expect.stringContaining('no answer within'),
    });
    await jest.advanceTimersByTimeAsync(10_000);
    jest.useRealTimers();
    await late;
    second.tell(joinedAs('me-2'));
    await second.messages.next(({ type }) => type === 'request'); // the former presence is removed
    void connection.stopDialout({ sessionId: 'leg' }).catch(() => {});
    const next = await second.messages.next(({ type }) => type === 'request');
    expect(next).toMatchObject({ method: 'stopDialOut' });
  });

  test('what was asked for and not answered fails; what is asked for meanwhile waits for the next page', async () => {
    pages.welcomes = [JOINED, undefined];
    const connection = await join();
    const first = await pages.opened.next();
    const unanswered = connection.startDialout({ phoneNumber: '+12025550101' });
    await first.messages.next(({ type }) => type === 'request');
    await first.crash();
    await expect(unanswered).rejects.toMatchObject({ message: expect.stringMatching(/may have been carried out/) });
    const second = await pages.opened.next();
    const waiting = connection.stopDialout({ sessionId: 'leg' });
    await second.messages.next(({ type }) => type === 'join');
    second.tell(joinedAs('me-2'));
    const request = await second.messages.next((message) => message.type === 'request' && message.id !== 0);
    expect(request).toMatchObject({ method: 'stopDialOut' });
    second.tell({ type: 'response', id: 2, result: {} });
    await waiting;
  });

  test('a page that cannot join yet is followed by another', async () => {
    pages.welcomes = [JOINED, refused('connection-error'), refused('meeting-full'), joinedAs('me-2')];
    const connection = await join();
    await (await pages.opened.next()).crash();
    for (let n = 0; n < 3; n += 1) await (await pages.opened.next()).messages.next(({ type }) => type === 'join');
    const [, , , last] = pages.opened.all;
    await last?.messages.next(({ type }) => type === 'request');
    expect(connection.sessionId).toBe('me-2');
  });

  test.each(['exp-token', 'no-room', 'not-allowed'])('a refusal that will not pass ends it: %s', async (error) => {
    pages.welcomes = [JOINED, refused(error)];
    const connection = await join();
    const left = new Promise<{ error?: Error }>((resolve) => connection.on('left', resolve));
    connection.start(() => {});
    await (await pages.opened.next()).crash();
    expect((await left).error).toMatchObject({ code: 'VB_STREAM_CLOSED', message: expect.stringContaining(error) });
    expect(pages.opened.all).toHaveLength(2);
  });

  test('one that does not answer is closed and replaced', async () => {
    pages.welcomes = [JOINED, joinedAs('me-2')];
    await join();
    const first = await pages.opened.next();
    first.freeze();
    const second = await pages.opened.next();
    await second.messages.next(({ type }) => type === 'request');
    expect(first.isClosed).toBe(true);
  });

  test('nobody joins again who has left meanwhile', async () => {
    pages.welcomes = [JOINED, undefined];
    const connection = await join();
    await (await pages.opened.next()).crash();
    const second = await pages.opened.next();
    await connection.leave();
    expect(second.isClosed).toBe(true);
    expect(pages.opened.all).toHaveLength(2);
  });
});

test('being removed ends it, and nothing joins again', async () => {
  const connection = await join();
  const left = new Promise<{ error?: Error }>((resolve) => connection.on('left', resolve));
  connection.start(() => {});
  const page = await pages.opened.next();
  page.tell({ type: 'left', error: { error: 'ejected', info: 'ejected by an owner' } });
  expect((await left).error?.message).toMatch(/ejected by an owner/);
  expect(pages.opened.all).toHaveLength(1);
});

test.each([
  ['ejected', 'room-deleted', true],
  ['exp-room', 'the room has expired', true],
  ['ejected', 'ejected by an owner', false],
])('being removed with %s: %s tells whether the room is gone', async (error, info, isClosed) => {
  const connection = await join();
  const left = new Promise<{ error?: Error }>((resolve) => connection.on('left', resolve));
  connection.start(() => {});
  (await pages.opened.next()).tell({ type: 'left', error: { error, info } });
  expect(isRoomClosed((await left).error)).toBe(isClosed);
});

test('only some can be heard, also after the page was replaced', async () => {
  pages.welcomes = [JOINED, joinedAs('me-2')];
  const connection = await join();
  expect(connection.hearOnly(['caller'])).toBe(true);
  const first = await pages.opened.next();
  expect(await first.messages.next(({ type }) => type === 'listen')).toMatchObject({ sessionIds: ['caller'] });
  await first.crash();
  const second = await pages.opened.next();
  expect(await second.messages.next(({ type }) => type === 'listen')).toMatchObject({ sessionIds: ['caller'] });
});

test('leaving closes the page, and tells it before', async () => {
  const connection = await join();
  const page = await pages.opened.next();
  await connection.leave();
  expect(page.messages.all.at(-1)).toEqual({ type: 'leave' });
  expect(page.isClosed).toBe(true);
});
