import type { FakeCaller } from '../fake-caller.js';
import { API_KEY, NUMBER, SECRET, startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest } from './room-guest.js';
import { UnrelatedClient } from './unrelated-client.js';

const SIP = { display_name: 'Ada', sip_mode: 'dial-in', provider: 'daily' };
const inAMinute = () => Math.floor(Date.now() / 1_000) + 60;

async function startBoth() {
  const live = await startLiveRooms();
  return {
    live,
    client: new UnrelatedClient(live.sandbox.roomsApiUrl, API_KEY),
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}

test('an unrelated client makes a room, names it by the path of its address, and deletes it', async () => {
  await using both = await startBoth();
  const { client } = both;
  const exp = inAMinute();
  const room = await client.createRoom({ name: 'front-desk', privacy: 'private', properties: { exp } });
  expect(new URL(room.url).pathname).toBe('/front-desk');
  expect(await client.room(room.url)).toEqual(room);
  expect((await client.rooms()).data).toEqual([room]);
  const changed = await client.updateRoom(room.url, { properties: { enable_dialout: true } });
  expect(changed.config).toEqual({ exp, enable_dialout: true });
  const { token } = await client.token(room.url, { exp, is_owner: true });
  expect(await client.examineToken(token)).toEqual({ room_name: 'front-desk', exp, is_owner: true });
  expect(await client.presence()).toEqual({});
  expect((await client.roomPresence(room.url)).data).toEqual([]);
  expect(await client.deleteRoom(room.url)).toEqual({ deleted: true, name: 'front-desk' });
  await expect(client.room(room.url)).rejects.toMatchObject({ status: 404, error: 'not-found' });
  expect((await client.rooms()).data).toEqual([]);
});

test('an unrelated client sets where calls to a number go', async () => {
  await using both = await startBoth();
  const { client, live } = both;
  expect(await client.domain()).toMatchObject({ domain_name: 'sandbox', config: { pinless_dialin: [] } });
  const room_creation_api = live.webhook.url();
  const entry = { phone_number: '+12025550111', room_creation_api, hmac: SECRET };
  const { config } = await client.setDomain({ pinless_dialin: [entry] });
  expect(config.pinless_dialin).toEqual([{ ...entry, sip_uri: expect.stringContaining('@') }]);
  const own = { ...entry, phone_number: '+12025550112' };
  const { id } = await client.createDialinConfig({ type: 'pinless_dialin', ...own });
  await client.updateDialinConfig(id, { name_prefix: 'night' });
  expect((await client.dialinConfig(id)).config).toMatchObject({ ...own, name_prefix: 'night' });
  expect((await client.dialinConfigs('?phone_number=%2B12025550112')).data).toHaveLength(1);
  expect(await client.deleteDialinConfig(id)).toEqual({ status: expect.any(String) });
  await expect(client.dialinConfig(id)).rejects.toMatchObject({ status: 404, error: 'not-found' });
});

test('an unrelated client reads the numbers, and can neither buy nor release one', async () => {
  await using both = await startBoth();
  const { client } = both;
  expect(await client.availableNumbers()).toEqual({ total_count: 0, data: [] });
  const { data } = await client.purchasedNumbers();
  expect(data).toContainEqual(expect.objectContaining({ number: NUMBER, type: 'purchased_phone_number' }));
  await expect(client.buyNumber('+12025550177')).rejects.toMatchObject({ status: 400 });
  await expect(client.releaseNumber(data[0].id)).rejects.toMatchObject({ status: 400 });
});

test('an unrelated client takes a caller, sends digits, and refers the caller to another room', async () => {
  await using both = await startBoth();
  const { client, live } = both;
  const rooms = [];
  for (const name of ['first', 'second']) rooms.push(await client.createRoom({ name, properties: { sip: SIP } }));
  const [first, second] = rooms;
  const join = async (url: string) =>
    RoomGuest.join(url, { tickMs: 2, token: (await client.token(url, { is_owner: true })).token });
  await using one = await join(first.url);
  await using two = await join(second.url);
  const { sipEndpoint } = await one.event('dialin-ready');
  expect(sipEndpoint).toBe(`sip:${first.config.sip_uri.endpoint}`);
  const { caller, callId } = await live.caller();
  await using _caller: FakeCaller = caller;
  const forward = { callId, callDomain: (await client.domain()).domain_id, sipUri: sipEndpoint };
  expect(await client.forward(forward)).toEqual({ ok: 'true' });
  const { sessionId } = await one.event('dialin-connected');
  await one.event('participant-joined');
  expect(await client.sendDtmf(first.url, { sessionId, tones: '12#' })).toEqual({ ok: 'true' });
  const toEndPoint = `sip:${second.config.sip_uri.endpoint}`;
  expect(await client.sipRefer(first.url, { sessionId, toEndPoint })).toEqual({ ok: true });
  await two.event('dialin-connected');
});

test('an unrelated client dials, sees who is there by their user ids, transfers, stops and ejects', async () => {
  await using both = await startBoth();
  const { client } = both;
  const { url } = await client.createRoom({ name: 'calls', properties: { enable_dialout: true } });
  const exp = inAMinute();
  const { token } = await client.token(url, { is_owner: true, exp, user_name: 'bot', user_id: 'bot-1' });
  await using bot = await RoomGuest.join(url, { token, tickMs: 2 });
  const dialled = [];
  for (const phoneNumber of ['+15551230001', '+15551230002']) {
    const { ok, sessionId } = await client.startDialOut(url, { phoneNumber, userId: `user-of-${phoneNumber}` });
    expect(ok).toBe('true');
    await bot.events.next(({ action, sessionId: id }) => action === 'dialout-answered' && id === sessionId);
    await bot.event('participant-joined');
    dialled.push(sessionId);
  }
  const [one, two] = dialled;
  const present = (await client.roomPresence(url)).data;
  expect(present.map(({ id, userId }: { id: string; userId: string }) => [id, userId])).toEqual([
    [bot.sessionId, 'bot-1'],
    [one, 'user-of-+15551230001'],
    [two, 'user-of-+15551230002'],
  ]);
  expect((await client.presence()).calls).toHaveLength(3);
  expect((await client.roomPresence(url, '?userId=bot-1')).data).toMatchObject([{ id: bot.sessionId }]);
  expect(await client.sipCallTransfer(url, { sessionId: one, toEndPoint: '+15551230003' })).toEqual({ ok: true });
  await bot.events.next(({ action, sessionId }) => action === 'dialout-stopped' && sessionId === one);
  expect(await client.stopDialOut(url, { sessionId: two })).toEqual({ ok: 'true' });
  await bot.events.next(({ action, sessionId }) => action === 'dialout-stopped' && sessionId === two);
  expect(await client.eject(url, { user_ids: ['bot-1', 'nobody'] })).toEqual({ ejectedIds: [bot.sessionId] });
  expect(await bot.closed).toMatchObject({ reason: 'ejected' });
});
