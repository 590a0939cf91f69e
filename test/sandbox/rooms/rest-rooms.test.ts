import { startRoomProvider } from './room-provider-under-test.js';

const SIP = {
  display_name: '+12025550123',
  video: false,
  sip_mode: 'dial-in',
  num_endpoints: 1,
  codecs: { audio: ['OPUS'] },
};

const invalid = (info: string | RegExp) => ({
  status: 400,
  body: { error: 'invalid-request-error', info: expect.stringMatching(info) },
});
const absent = {
  status: 404,
  body: { error: 'not-found', info: expect.stringContaining('does not exist') },
};

test('creates a room and shows what differs from the defaults', async () => {
  await using provider = await startRoomProvider();
  const exp = provider.seconds() + 3_600;
  const { status, body } = await provider.post('/rooms', {
    name: 'voicebot-3f9c1a20',
    privacy: 'private',
    properties: {
      exp,
      eject_at_room_exp: true,
      start_video_off: true,
      start_audio_off: false,
      enable_dialout: false,
      max_participants: 200,
      sfu_switchover: 0.5,
      enable_prejoin_ui: false,
      sip: SIP,
    },
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'voicebot-3f9c1a20',
    api_created: true,
    privacy: 'private',
    url: `${provider.origin}/voicebot-3f9c1a20`,
    created_at: '2026-01-01T00:00:00.000Z',
    config: {
      exp,
      eject_at_room_exp: true,
      start_video_off: true,
      enable_prejoin_ui: false,
      sip: SIP,
      sip_uri: { endpoint: expect.stringMatching(/^\d+@sandbox\.sip\.localhost$/), extra_endpoints: [] },
    },
  });
  expect(await provider.get('/rooms/voicebot-3f9c1a20')).toEqual({ status, body });
  expect(provider.account.room('voicebot-3f9c1a20')).toMatchObject({
    privacy: 'private',
    properties: { exp, eject_at_room_exp: true },
    sipEndpoints: [body.config.sip_uri.endpoint],
  });
});

test('needs nothing to create a room, and gives each a name of its own', async () => {
  await using provider = await startRoomProvider();
  const rooms = [(await provider.send('POST', '/rooms')).body, (await provider.post('/rooms', {})).body];
  for (const room of rooms) expect(room).toMatchObject({ privacy: 'public', config: {} });
  expect(rooms[0].name).not.toBe(rooms[1].name);
});

test('names its addresses after the room in the SIP network of the provider itself', async () => {
  await using provider = await startRoomProvider();
  const sip = { ...SIP, num_endpoints: 2 };
  const { body } = await provider.post('/rooms', { name: 'one', properties: { sip: { ...sip, provider: 'daily' } } });
  expect(body.config.sip_uri).toEqual({
    endpoint: 'one.0@sandbox.sip-us.localhost',
    extra_endpoints: ['one.1@sandbox.sip-us.localhost'],
  });
  expect(provider.account.roomAt('sip:one.1@sandbox.sip-us.localhost')?.name).toBe('one');
  const changed = await provider.post('/rooms/one', { properties: { sip: { ...sip, provider: 'signalwire' } } });
  expect(changed.body.config.sip_uri.endpoint).toMatch(/^\d+@sandbox\.sip\.localhost$/);
  expect(await provider.post('/rooms', { properties: { sip: { ...sip, provider: 'other' } } })).toEqual(
    invalid('properties.sip.provider'),
  );
});

test('has several addresses for several callers', async () => {
  await using provider = await startRoomProvider();
  const { body } = await provider.post('/rooms', { properties: { sip: { ...SIP, num_endpoints: 3 } } });
  const { endpoint, extra_endpoints: extra } = body.config.sip_uri;
  expect(new Set([endpoint, ...extra]).size).toBe(3);
});

test.each([
  [{ name: 'a b' }, 'name: must be 1 to 128 of'],
  [{ name: 'a/../b' }, 'name'],
  [{ name: 'x'.repeat(129) }, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 5 }, 'name'],
  [{ name: 'taken' }, 'a room named taken already exists'],
  [{ color: 'red' }, "unknown parameter 'color'"],
  [{ privacy: 'org' }, 'privacy'],
  [{ properties: { color: 'red' } }, "unknown parameter 'properties.color'"],
  [{ properties: { sip_uri: {} } }, "unknown parameter 'properties.sip_uri'"],
  [{ properties: { exp: 1 } }, 'in the past'],
  [{ properties: { exp: Date.UTC(2026, 0, 1) / 1_000 } }, 'in the past'],
  [{ properties: { exp: '1800000000' } }, 'properties.exp'],
  [{ properties: { enable_dialout: 'yes' } }, 'properties.enable_dialout'],
  [{ properties: { max_participants: 0 } }, 'properties.max_participants'],
  [{ properties: { sip: { sip_mode: 'dial-in' } } }, 'properties.sip.display_name'],
  [{ properties: { sip: { display_name: 'a' } } }, 'properties.sip.sip_mode'],
  [{ properties: { sip: { ...SIP, sip_mode: 'dial-out' } } }, 'properties.sip.sip_mode'],
  [{ properties: { sip: { ...SIP, color: 'red' } } }, "unknown parameter 'properties.sip.color'"],
  [{ properties: { sip: { ...SIP, num_endpoints: 2, force_digit_only_username: true } } }, 'num_endpoints above 1'],
  [{ properties: { sip: { ...SIP, dialin_config: { max_idle_timeout_sec: -1 } } } }, 'max_idle_timeout_sec'],
  [
    { properties: { recordings_bucket: JSON.parse(`${'{"a":'.repeat(10)}1${'}'.repeat(10)}`) } },
    'nested deeper than 8',
  ],
])('refuses the room %j', async (fields, info) => {
  await using provider = await startRoomProvider();
  await provider.post('/rooms', { name: 'taken' });
  expect(await provider.post('/rooms', fields)).toEqual(invalid(info));
  expect((await provider.get('/rooms')).body.total_count).toBe(1);
});

test('changes what is given, goes back to defaults, and keeps the rest', async () => {
  await using provider = await startRoomProvider();
  const { body: room } = await provider.post('/rooms', { name: 'one', properties: { enable_dialout: true, sip: SIP } });
  const { body } = await provider.post('/rooms/one', {
    privacy: 'private',
    properties: { start_video_off: true, enable_dialout: false },
  });
  const { enable_dialout: _, ...config } = room.config;
  expect(body).toEqual({ ...room, privacy: 'private', config: { ...config, start_video_off: true } });
  expect((await provider.post('/rooms/one', { properties: { sip: null } })).body.config).toEqual({
    start_video_off: true,
  });
  expect((await provider.post('/rooms/one', { properties: { sip: SIP } })).body.config.sip_uri).toEqual(config.sip_uri);
  expect(await provider.post('/rooms/one', { name: 'two' })).toEqual(invalid("unknown parameter 'name'"));
  expect(await provider.post('/rooms/one', { properties: { exp: 1 } })).toEqual(invalid('in the past'));
  expect(await provider.post('/rooms/two', {})).toEqual(absent);
});

test('deletes a room and ends what goes on in it', async () => {
  await using provider = await startRoomProvider();
  await provider.post('/rooms', { name: 'one' });
  expect(await provider.delete('/rooms/one')).toEqual({ status: 200, body: { deleted: true, name: 'one' } });
  expect(provider.live.asked).toEqual([['end', 'one']]);
  expect(await provider.get('/rooms/one')).toEqual(absent);
  expect(await provider.delete('/rooms/one')).toEqual(absent);
  expect((await provider.post('/rooms', { name: 'one' })).status).toBe(200);
});

test('forgets rooms when they expire, and gives their names to others', async () => {
  await using provider = await startRoomProvider();
  const exp = provider.seconds() + 60;
  await provider.post('/rooms', { name: 'short', properties: { exp } });
  await provider.post('/rooms', { name: 'long', properties: { exp: exp + 60.5 } });
  provider.clock.ms += 60_000;
  expect(await provider.get('/rooms/short')).toEqual(absent);
  expect((await provider.get('/rooms')).body).toMatchObject({ total_count: 1, data: [{ name: 'long' }] });
  expect((await provider.post('/rooms', { name: 'short' })).status).toBe(200);
});

test('lists the rooms newest first, in pages', async () => {
  await using provider = await startRoomProvider();
  for (const name of ['a', 'b', 'c']) await provider.post('/rooms', { name });
  const { body } = await provider.get('/rooms?limit=2');
  expect(body).toMatchObject({ total_count: 3, data: [{ name: 'c' }, { name: 'b' }] });
  expect((await provider.get(`/rooms?starting_after=${body.data[1].id}`)).body.data).toMatchObject([{ name: 'a' }]);
});

test('tells who is in', async () => {
  await using provider = await startRoomProvider();
  const { body: room } = await provider.post('/rooms', { name: 'one' });
  await provider.post('/rooms', { name: 'empty' });
  expect((await provider.get('/rooms/one/presence')).body).toEqual({ total_count: 0, data: [] });
  expect((await provider.get('/presence')).body).toEqual({});
  const joinedAt = new Date(provider.clock.ms);
  provider.live.present.set('one', [
    { sessionId: 's1', userName: 'bot', userId: 'u1', joinedAt },
    { sessionId: 's2', userName: '+12025550123', userId: undefined, joinedAt },
  ]);
  provider.clock.ms += 1_500;
  const bot = {
    room: 'one',
    id: 's1',
    userId: 'u1',
    userName: 'bot',
    joinTime: '2026-01-01T00:00:00.000Z',
    duration: 1,
  };
  for (const query of ['userName=bot', 'userId=u1', 'userId=u1&userName=bot']) {
    expect((await provider.get(`/rooms/one/presence?${query}`)).body).toEqual({
      total_count: 1,
      data: [{ ...bot, mtgSessionId: room.id }],
    });
  }
  expect((await provider.get('/rooms/one/presence?userId=u1&userName=Ada')).body).toEqual({ total_count: 0, data: [] });
  expect((await provider.get('/rooms/one/presence?limit=1')).body).toMatchObject({
    total_count: 2,
    data: [{ id: 's1' }],
  });
  expect((await provider.get('/presence')).body).toEqual({
    one: [bot, { ...bot, id: 's2', userId: null, userName: '+12025550123' }],
  });
  expect(await provider.get('/rooms/none/presence')).toEqual(absent);
});

test('removes whom it is told to, as far as they are there', async () => {
  await using provider = await startRoomProvider();
  await provider.post('/rooms', { name: 'one' });
  const idle = await provider.post('/rooms/one/eject', { ids: ['s1'] });
  expect(idle).toMatchObject({ status: 404, body: { info: 'room one is not hosting a call' } });
  const joinedAt = new Date();
  provider.live.present.set('one', [
    { sessionId: 's1', userName: 'bot', userId: undefined, joinedAt },
    { sessionId: 's2', userName: 'Ada', userId: 'u2', joinedAt },
    { sessionId: 's3', userName: 'Bob', userId: 'u3', joinedAt },
  ]);
  expect(await provider.post('/rooms/one/eject', { ids: ['s1', 's9'], user_ids: ['u2', 'u9', ''] })).toEqual({
    status: 200,
    body: { ejectedIds: ['s1', 's2'] },
  });
  expect((await provider.post('/rooms/one/eject', { ids: ['s9'] })).body).toEqual({ ejectedIds: [] });
  expect(provider.live.asked).toEqual([['control', 'one', 'eject', { ids: ['s1', 's2'] }]]);
  expect(await provider.post('/rooms/one/eject', { ids: 's1' })).toEqual(invalid('ids'));
  expect(await provider.post('/rooms/one/eject', { ids: Array(101).fill('s1') })).toEqual(invalid('ids'));
});
