import { type Browser, chromium } from 'playwright-core';
import { signToken } from '../../../src/sandbox/rooms/room-token.js';
import type { SandboxTiming } from '../../../src/sandbox/sandbox.js';
import { API_KEY, hears, startLiveRooms } from './live-rooms-under-test.js';
import { PAGE_HZ, PageClient } from './page-client.js';
import { RoomGuest } from './room-guest.js';

let browser: Browser;

beforeAll(async () => {
  const args = ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...args, ...quiet] });
}, 30_000);
afterAll(() => browser.close());

/** A sandbox, and a page with a call object of it. */
async function setUp(timing: SandboxTiming = {}) {
  const live = await startLiveRooms({ timing: { tickMs: 20, ...timing } });
  const page = await PageClient.open(browser, live.sandbox.url);
  const tokenOf = ({ name }: { name: string }, properties: object = {}) => live.tokenFor(name, properties);
  return {
    live,
    page,
    tokenOf,
    /** The page is in the room, as an owner. */
    async enter(room: { name: string; url: string }): Promise<string> {
      const token = await tokenOf(room, { is_owner: true });
      const { value, thrown } = await page.join({ url: room.url, token, userName: 'page' });
      if (!value) throw new Error(JSON.stringify(thrown));
      return value.local.session_id;
    },
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

test('hears and is heard, once, whoever comes and goes', async () => {
  await using call = await setUp();
  const { live, page } = call;
  const room = await live.room();
  await using ada = await live.owner(room, 'Ada');
  ada.hum(1_000);
  const sessionId = await call.enter(room);

  const { participant } = await ada.event('participant-joined');
  expect(participant).toMatchObject({ session_id: sessionId, user_name: 'page', participantType: 'unknown' });
  expect(await page.event('joined-meeting')).toMatchObject({
    callClientId: '1',
    participants: {
      local: { local: true, session_id: sessionId, user_name: 'page', tracks: { audio: { track: { isOurs: true } } } },
      [ada.sessionId]: { local: false, user_name: 'Ada', owner: true, tracks: { audio: { state: 'off' } } },
    },
  });
  expect(await page.event('track-started')).toMatchObject({ participant: { local: true }, track: { isOurs: true } });
  const started = await page.event('track-started');
  expect(started).toMatchObject({ participant: { session_id: ada.sessionId }, type: 'audio' });
  await page.event('participant-updated');
  const { track } = started;
  const audio = { state: 'playable', track, persistentTrack: track };
  expect(await page.evaluate('call.participants()')).toMatchObject({ [ada.sessionId]: { tracks: { audio } } });

  const inPage = await page.hears(1_000);
  let inRoom = await hears(ada.heard, PAGE_HZ);
  // A piece that came late on a busy machine makes 200 ms of it quieter.
  for (let tries = 0; inRoom.level < -16.5 && tries < 40; tries += 1) inRoom = await hears(ada.heard, PAGE_HZ);
  process.stderr.write(
    `  the page hears ${inPage.hertz.toFixed(0)} Hz at ${inPage.level.toFixed(1)} dB; ` +
      `the guest hears ${PAGE_HZ} Hz at ${inRoom.level.toFixed(1)} dB, purity ${inRoom.purity.toFixed(3)}\n`,
  );
  // Both say a sine: of 8000 of 32768 there, of 0.25 here.
  expect(Math.abs(inPage.level - -15.3)).toBeLessThan(1.5);
  expect(Math.abs(inRoom.level - -15.1)).toBeLessThan(1.5);

  await using bob = await RoomGuest.join(room.url, { token: await call.tokenOf(room), userName: 'Bob' });
  bob.hum(1_500);
  expect(await page.event('participant-joined')).toMatchObject({ participant: { user_name: 'Bob' } });
  ada.says = () => undefined;
  await page.hears(1_500);
  expect(page.actions.filter((action) => action === 'track-started')).toHaveLength(2);

  const before = page.actions.length;
  await ada[Symbol.asyncDispose]();
  await page.event('participant-left', (event) => event.participant.session_id === ada.sessionId);
  expect(await page.event('track-started')).toMatchObject({ participant: { session_id: bob.sessionId }, track });
  expect(await page.event('participant-updated')).toMatchObject({ participant: { session_id: bob.sessionId } });
  expect(page.actions.slice(before)).toEqual([
    'track-stopped',
    'participant-left',
    'track-started',
    'participant-updated',
  ]);
  await page.hears(1_500);
}, 40_000);

test('leaves nothing open behind, however the stay ends', async () => {
  await using call = await setUp();
  const { live, page } = call;
  const room = await live.room();
  await using owner = await live.owner(room);
  expect(await page.evaluate('[call.meetingState(), call.participants()]')).toEqual(['new', {}]);
  await call.enter(room);
  expect(await page.evaluate('call.meetingState()')).toBe('joined-meeting');
  expect(await page.stillOpen()).toEqual({ peers: 1, sockets: 1 });
  await page.attempt('call.leave()');
  await owner.event('participant-left');
  expect(await page.evaluate('[call.meetingState(), call.participants()]')).toEqual(['left-meeting', {}]);
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });

  const early = 'Promise.all([attempt(() => call.join()), call.leave()])';
  const { value } = await page.attempt(early);
  expect(value[0].thrown).toMatchObject({ message: 'the meeting was left before it was joined' });
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });

  expect((await page.attempt('client.createCallObject()')).thrown.message).toContain('Duplicate');
  await call.enter(room);
  await owner.event('participant-joined');
  await page.attempt('call.destroy()');
  await owner.event('participant-left');
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });
  expect(await page.evaluate('call.isDestroyed()')).toBe(true);
  expect((await page.join({ url: room.url })).thrown.message).toBe('the call object has been destroyed');
  expect(page.actions.slice(-2)).toEqual(['left-meeting', 'call-instance-destroyed']);
  expect((await page.attempt('client.createCallObject().meetingState()')).value).toBe('new');
}, 40_000);

test('tells that the room is lost, or over', async () => {
  await using call = await setUp();
  const { live, page } = call;
  const room = await live.room();
  await using owner = await live.owner(room);
  await call.enter(room);
  await page.evaluate('opened.sockets.at(-1).close()');
  expect(await page.event('error')).toMatchObject({
    error: { type: 'connection-error', details: { on: 'rtc-connection', uri: room.url } },
  });
  await page.event('left-meeting');
  await owner.event('participant-left');
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });

  await call.enter(room);
  await live.sandbox.close();
  const event = await page.event('error');
  expect(event).toMatchObject({ error: { type: 'ejected', msg: 'room-over' }, errorMsg: 'room-over' });
  await page.event('left-meeting');
  expect(await page.evaluate('call.meetingState()')).toBe('error');
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });
  const { thrown } = await page.attempt('call.join()');
  expect(thrown.error).toMatchObject({ type: 'connection-error', details: { on: 'join' } });
  expect((await page.join({ url: 'nowhere' })).thrown.message).toContain('Invalid URL');
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });
}, 40_000);

test('rejects with the error event when the room refuses, in the provider’s words', async () => {
  let now = Date.now();
  await using call = await setUp({ now: () => now });
  const { live, page } = call;
  const room = await live.room();
  const small = await live.room({ max_participants: 1 }, 'public');
  const later = await live.room({ nbf: 4_000_000_000 }, 'public');
  await using _ = await RoomGuest.join(small.url);
  const expiring = await live.room({ exp: Math.ceil(now / 1_000) + 60 }, 'public');
  await using __ = await RoomGuest.join(expiring.url);
  now += 120_000;
  const refusals = [
    [{ url: room.url }, 'not-allowed'],
    [{ url: room.url, token: 'nonsense' }, 'not-allowed'],
    [{ url: room.url, token: await live.tokenFor('another') }, 'not-allowed'],
    [{ url: room.url, token: signToken({ d: live.domainId, exp: 1 }, API_KEY) }, 'exp-token'],
    [{ url: room.url, token: await call.tokenOf(room, { nbf: 4_000_000_000 }) }, 'nbf-token'],
    [{ url: `${live.sandbox.url}/nowhere` }, 'no-room'],
    [{ url: later.url }, 'nbf-room'],
    [{ url: small.url }, 'meeting-full'],
    [{ url: expiring.url }, 'exp-room'],
  ] as const;
  for (const [options, type] of refusals) {
    const { thrown } = await page.join({ token: '', ...options });
    expect(thrown).toMatchObject({ action: 'error', error: { type, msg: thrown.errorMsg } });
    expect(await page.event('error')).toEqual(thrown);
    await page.event('left-meeting');
    expect(await page.evaluate('call.meetingState()')).toBe('error');
  }
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });
  expect((await page.attempt('call.join({ url: "" })')).thrown.message).toBe('no url of a room was given');
}, 60_000);

test('removes others, and tells when it is removed', async () => {
  await using call = await setUp();
  const { live, page } = call;
  const room = await live.room();
  await using owner = await live.owner(room);
  await using guest = await RoomGuest.join(room.url, { token: await call.tokenOf(room) });
  const sessionId = await call.enter(room);
  await page.attempt(`void call.updateParticipant('${guest.sessionId}', { eject: true })`);
  expect(await guest.messages.next()).toEqual({ type: 'ejected', reason: 'ejected' });
  expect(await page.event('participant-left')).toMatchObject({ participant: { session_id: guest.sessionId } });
  await owner.request('eject', { ids: [sessionId] });
  expect(await page.event('error')).toMatchObject({ errorMsg: 'ejected', error: { type: 'ejected' } });
  await page.event('left-meeting');
  expect(await page.stillOpen()).toEqual({ peers: 0, sockets: 0 });
}, 40_000);

test('dials out, sends keys, hangs up, and passes on what is refused', async () => {
  await using call = await setUp({ tickMs: 5 });
  const { live, page } = call;
  const room = await live.room();
  const target = { phoneNumber: '+12025550101' };
  expect((await page.ask('startDialOut', target)).thrown).toMatchObject({
    message: 'startDialOut() only supported after join.',
  });
  await call.enter(room);
  const { value } = await page.ask('startDialOut', { ...target, displayName: 'Operator' });
  const { sessionId } = value.session;
  for (const action of ['dialout-connected', 'dialout-answered']) {
    expect(await page.event(action)).toMatchObject({ sessionId, destination: '+12025550101', callClientId: '1' });
  }
  const joined = await page.event('participant-joined');
  expect(joined.participant).toMatchObject({
    session_id: sessionId,
    user_name: 'Operator',
    participantType: 'pstn-dial-out',
  });
  expect(await page.event('track-started', ({ participant }) => !participant.local)).toMatchObject({
    participant: { session_id: sessionId },
  });
  expect(await page.ask('sendDTMF', { sessionId, tones: '1#' })).toEqual({ value: null });
  expect((await page.ask('sendDTMF', { sessionId, tones: 'x' })).thrown).toMatchObject({
    isError: true,
    type: 'invalid-request-error',
    message: expect.stringContaining('tones'),
  });
  expect(await page.ask('stopDialOut', { sessionId })).toEqual({ value: null });
  expect(await page.event('dialout-stopped')).toMatchObject({ sessionId });
  expect((await page.ask('stopDialOut', { sessionId })).thrown).toMatchObject({
    type: 'not-found',
    msg: 'no dial-out to stop',
  });

  await page.attempt('call.leave()');
  expect((await page.join({ url: room.url, token: await call.tokenOf(room) })).value).toHaveProperty('local');
  expect((await page.ask('startDialOut', target)).thrown).toMatchObject({
    isError: true,
    type: 'forbidden-error',
    message: 'unable to start dialout (is dialout enabled? are you a room owner or participant admin?)',
  });
}, 40_000);

test('tells what callers do, and has them transferred by sipCallTransfer and by sipRefer', async () => {
  await using call = await setUp({ tickMs: 5 });
  const { live, page } = call;
  const [room, other] = [await live.room(), await live.room()];
  await using _ = await live.owner(other);
  await call.enter(room);
  expect(await page.event('dialin-ready')).toMatchObject({ sipEndpoint: `sip:${room.endpoint}`, callClientId: '1' });
  for (const [method, toEndPoint] of [
    ['sipCallTransfer', '+12025550101'],
    ['sipRefer', `sip:${other.endpoint}`],
  ] as const) {
    const { caller, callId } = await live.caller();
    await using __ = caller;
    await live.forward(callId, room.endpoint);
    const { sessionId } = await page.event('dialin-connected');
    const { participant } = await page.event('participant-joined');
    expect(participant).toMatchObject({ session_id: sessionId, participantType: 'pstn-dial-in' });
    caller.client.press('5');
    expect(await page.event('dtmf-event')).toMatchObject({ tone: '5', sessionId });
    expect((await page.ask(method, { sessionId, toEndPoint: 'nowhere' })).thrown).toMatchObject({
      type: 'invalid-request-error',
    });
    expect(await page.ask(method, { sessionId, toEndPoint })).toEqual({ value: null });
    expect(await page.event('participant-left')).toMatchObject({ participant: { session_id: sessionId } });
    expect(await page.event('dialin-stopped')).toMatchObject({ sessionId });
    for (const action of ['dialout-connected', 'dialout-answered']) {
      expect(await page.event(action)).toMatchObject({ destination: toEndPoint });
    }
  }
}, 60_000);
