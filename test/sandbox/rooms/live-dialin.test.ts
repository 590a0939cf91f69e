import { DtmfDetector } from '../../../src/base/audio/dtmf.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { ToneSource } from '../../../src/base/audio/tones.js';
import type { SandboxTiming } from '../../../src/sandbox/sandbox.js';
import { CALLER, FakeCaller } from '../fake-caller.js';
import { isSigned } from './fake-dialin-webhook.js';
import { hears, hum, listen, measure, NUMBER, SECRET, startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest, shown } from './room-guest.js';

test('answers a caller at once and tells the signed webhook who is held', async () => {
  await using live = await startLiveRooms();
  await using caller = await FakeCaller.attach(live.sandbox);
  caller.dial(live.sandbox);
  const webhook = await live.webhook.received.next(({ body }) => body.callId !== undefined);
  expect(isSigned(webhook, SECRET)).toBe(true);
  expect(webhook.body).toEqual({
    To: NUMBER,
    From: CALLER,
    callId: expect.stringMatching(/^[\da-f-]{36}$/),
    callDomain: live.domainId,
  });
  await caller.events.next(({ type }) => type === 'answered');
  expect(await caller.progress('hold', true)).toMatchObject({ text: 'on hold, with music' });
  expect(await caller.progress('webhook', true)).toMatchObject({ status: 200 });
  expect(live.sandbox.liveCalls).toBe(1);
});

/** 1 when one is the other at another level, over the length of the shorter one. */
function correlation(a: Int16Array, b: Int16Array): number {
  let product = 0;
  let ofA = 0;
  let ofB = 0;
  for (let n = 0; n < Math.min(a.length, b.length); n += 1) {
    const [x, y] = [a[n] as number, b[n] as number];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return product / Math.sqrt(ofA * ofB);
}

test('plays the melody to a caller who is held, at its level', async () => {
  await using live = await startLiveRooms();
  const { caller } = await live.caller();
  await using _ = caller;
  await caller.progress('hold', true);
  const heard = await listen(caller.heard, 60);
  const melody = ToneSource.hold().read(60 * 160);
  expect(levelDb(heard)).toBeGreaterThan(-30);
  // A phone hears ringback or nothing for some frames before the answer.
  const lags = Array.from({ length: 40 }, (_each, frame) => frame * 160);
  expect(Math.max(...lags.map((lag) => correlation(heard.subarray(lag), melody)))).toBeGreaterThan(0.99);
});

test('the melody fades within 5 ms when the caller is forwarded', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using _owner = await live.owner(room);
  const { caller, callId } = await live.caller();
  await using _ = caller;
  await caller.progress('hold', true);
  await listen(caller.heard, 60);
  await live.forward(callId, room.endpoint);
  let heard: Int16Array;
  do heard = await listen(caller.heard, 1);
  while (heard.at(-1) !== 0);
  // The frame in which the melody ends is not cut off with its border.
  expect(heard.subarray(0, 40).some((sample) => sample !== 0)).toBe(true);
  expect(heard.subarray(40)).toEqual(new Int16Array(120));
});

const UNHELPFUL: [title: string, status: number | undefined, timing: SandboxTiming][] = [
  ['the webhook refuses', 500, {}],
  ['the webhook does not answer in time', undefined, { webhookTimeoutMs: 200 }],
  ['nobody forwards the call', 200, {}],
];
test.each(UNHELPFUL)('says so and hangs up when %s', async (_title, status, timing) => {
  const timeoutMessage = 'Nobody is here.';
  await using live = await startLiveRooms({ status: () => status, timeoutMessage, timing: { tickMs: 0.5, ...timing } });
  await using caller = await FakeCaller.attach(live.sandbox);
  caller.dial(live.sandbox);
  await caller.progress('hold', false);
  expect(await caller.progress('speak', true)).toMatchObject({ text: `speaking: ${timeoutMessage}` });
  expect(await caller.ended()).toMatchObject({ code: 6020, cause: 'Held Call Not Forwarded', source: 'Room' });
  const lastSound = caller.heard.all.findLastIndex((frame) => frame.some((code) => (code & 0x7f) !== 0x7f));
  expect(lastSound).toBeGreaterThan(0);
  expect(live.sandbox.liveCalls).toBe(0);
});

test('brings a held caller into the room: dialin-ready, dialin-connected, participant-joined, and two-way audio', async () => {
  await using live = await startLiveRooms({ timing: { tickMs: 20 } });
  const room = await live.room();
  await using owner = await live.owner(room);
  expect(await owner.event('dialin-ready')).toEqual({ action: 'dialin-ready', sipEndpoint: `sip:${room.endpoint}` });
  const { caller, callId } = await live.caller();
  await using _ = caller;
  caller.says = hum(500);
  owner.hum(900);
  expect(await live.forward(callId, room.endpoint)).toMatchObject({ status: 200 });
  const { sessionId, ...connected } = await owner.event('dialin-connected');
  expect(connected).toEqual({ action: 'dialin-connected', sipFrom: CALLER, sipEndpoint: `sip:${room.endpoint}` });
  expect(sessionId).not.toBe(callId);
  expect(await owner.event('participant-joined')).toEqual({
    action: 'participant-joined',
    participant: shown({ session_id: sessionId, user_name: 'Ada', owner: false, participantType: 'pstn-dial-in' }),
  });
  expect(await caller.progress('forward', true)).toMatchObject({ text: `forwarded to room ${room.name}` });
  expect((await hears(owner.heard, 500)).level).toBeCloseTo(-15.3, 0);
  expect((await hears(caller.heard, 900)).level).toBeCloseTo(-15.3, 0);
  const presence = await live.rest('GET', `/rooms/${room.name}/presence`);
  expect(presence.body.data.map(({ userName }: { userName: string }) => userName).sort()).toEqual(['Ada', 'bot']);
  caller.client.hangUp();
  expect(await owner.event('participant-left')).toMatchObject({ participant: { session_id: sessionId } });
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId, sipFrom: CALLER });
});

test('lets everybody hear all the others, and not themselves', async () => {
  await using live = await startLiveRooms({ timing: { tickMs: 20 } });
  const room = await live.room();
  await using owner = await live.owner(room);
  await using second = await RoomGuest.join(room.url, { token: await live.tokenFor(room.name) });
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  owner.hum(400, 4_000);
  second.hum(1_300, 4_000);
  caller.says = hum(2_200, 4_000);
  await Promise.all([
    hearsBoth(owner.heard, [1_300, 2_200], 400),
    hearsBoth(second.heard, [400, 2_200], 1_300),
    hearsBoth(caller.heard, [400, 1_300], 2_200),
  ]);
});

async function hearsBoth(heard: Parameters<typeof hears>[0], others: [number, number], own: number): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const pcm = await listen(heard, 10);
    const [a, b] = others.map((frequency) => measure(pcm, frequency).purity) as [number, number];
    if (a > 0.4 && b > 0.4 && measure(pcm, own).purity < 0.02) return;
  }
  throw new Error(`${others} Hz are not heard without ${own} Hz`);
}

test('tells the room which keys a caller presses, and plays keys to the caller', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { caller, sessionId } = await live.callerIn(room, owner);
  await using _ = caller;
  caller.client.press('#');
  expect(await owner.event('dtmf-event')).toMatchObject({ tone: '#', sessionId, method: 'telephone-event' });
  caller.heard.all.length = 0;
  expect(await owner.request('sendDTMF', { sessionId, tones: '5#', digitDurationMs: 100 })).toEqual({ result: {} });
  const digits: string[] = [];
  const detector = new DtmfDetector(8_000);
  while (digits.length < 2) digits.push(...detector.process(await listen(caller.heard, 5)));
  expect(digits).toEqual(['5', '#']);
});

test('refuses to forward a caller who has gone, is forwarded, or to an endpoint that is not ready', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({ sip: { display_name: 'Ada', sip_mode: 'dial-in', num_endpoints: 2 } });
  const failed = { status: 404, body: { error: 'not-found', info: 'call forwarding failed' } };
  const first = await live.caller();
  await using _first = first.caller;
  expect(await live.forward(first.callId, room.endpoint)).toEqual(failed);
  await using owner = await live.owner(room);
  const endpoints = [await owner.event('dialin-ready'), await owner.event('dialin-ready')].map((e) => e.sipEndpoint);
  expect(new Set(endpoints).size).toBe(2);
  const elsewhere = { callId: first.callId, callDomain: 'elsewhere', sipUri: room.endpoint };
  expect(await live.rest('POST', '/dialin/pinlessCallUpdate', elsewhere)).toEqual(failed);
  expect(await live.forward(first.callId, '1@sandbox.sip.localhost')).toEqual(failed);
  expect(await live.forward('unknown', room.endpoint)).toEqual(failed);
  expect(await live.forward(first.callId, `sip:${room.endpoint}`)).toMatchObject({ status: 200 });
  expect(await live.forward(first.callId, endpoints[1])).toEqual(failed);
  const second = await live.caller();
  await using _second = second.caller;
  expect(await live.forward(second.callId, room.endpoint)).toEqual(failed);
  second.caller.client.hangUp();
  await second.caller.ended();
  expect(await live.forward(second.callId, endpoints[1])).toEqual(failed);
  first.caller.client.hangUp();
  await owner.event('dialin-stopped');
  const third = await live.caller();
  await using _third = third.caller;
  expect(await live.forward(third.callId, room.endpoint)).toMatchObject({ status: 200 });
});

test('is unknown to the carrier’s API, which keeps its own calls', async () => {
  await using live = await startLiveRooms();
  const { caller, callId } = await live.caller();
  await using _ = caller;
  const carrier = async (path: string): Promise<Response> =>
    fetch(`${live.sandbox.apiUrl}/Account/MATESTTESTTESTTEST00/${path}`, {
      headers: { authorization: `Basic ${Buffer.from('MATESTTESTTESTTEST00:test-auth-token').toString('base64')}` },
    });
  expect(await (await carrier('Call/?status=live')).json()).toMatchObject({ calls: [] });
  caller.client.hangUp();
  await caller.ended();
  expect((await carrier(`Call/${callId}/`)).status).toBe(404);
});
