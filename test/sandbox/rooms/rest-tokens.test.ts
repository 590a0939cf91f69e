import { startRoomProvider } from './room-provider-under-test.js';

test('issues a token that says what was asked for', async () => {
  await using provider = await startRoomProvider();
  const exp = provider.seconds() + 60;
  const properties = {
    room_name: 'one',
    exp,
    is_owner: true,
    user_name: 'bot',
    user_id: 'u-1',
    eject_at_token_exp: true,
    eject_after_elapsed: 600,
    start_video_off: true,
    start_audio_off: false,
    permissions: { canAdmin: ['participants', 'transcription'] },
  };
  const { status, body } = await provider.post('/meeting-tokens', { properties });
  expect(status).toBe(200);
  expect(body).toEqual({ token: expect.any(String) });
  const [header, payload] = body.token.split('.').map((part: string) => Buffer.from(part, 'base64url').toString());
  expect(JSON.parse(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(JSON.parse(payload)).toEqual({
    r: 'one',
    d: provider.account.domainId,
    iat: provider.seconds(),
    exp,
    o: true,
    u: 'bot',
    ud: 'u-1',
    ejt: true,
    eje: 600,
    vo: true,
    ao: false,
    p: { ca: 'p,t' },
  });
  expect(await provider.get(`/meeting-tokens/${body.token}`)).toEqual({ status: 200, body: properties });
});

test('issues a token for everything, for ever, to who asks for that', async () => {
  await using provider = await startRoomProvider();
  for (const request of [{}, { properties: {} }, { properties: { enable_screenshare: false } }]) {
    const { body } = await provider.post('/meeting-tokens', request);
    expect((await provider.get(`/meeting-tokens/${body.token}`)).body).toEqual({});
    expect(provider.account.readToken(body.token)).toEqual({
      roomName: undefined,
      isOwner: false,
      permissions: undefined,
      userName: undefined,
      userId: undefined,
      exp: undefined,
      nbf: undefined,
      ejectsAtExp: false,
    });
  }
});

test('tells of tokens that are no good, or not yet', async () => {
  await using provider = await startRoomProvider();
  const now = provider.seconds();
  const { body } = await provider.post('/meeting-tokens', { properties: { nbf: now + 60, exp: now + 120 } });
  const examine = async (query = '') => (await provider.get(`/meeting-tokens/${body.token}${query}`)).body;
  expect(await examine()).toEqual({ error: 'invalid-request-error', info: 'token is not valid yet' });
  expect(await examine('?ignoreNbf=true')).toEqual({ nbf: now + 60, exp: now + 120 });
  provider.clock.ms += 60_000;
  expect(await examine()).toEqual({ nbf: now + 60, exp: now + 120 });
  provider.clock.ms += 60_000;
  expect(await examine()).toEqual({ error: 'invalid-request-error', info: 'token has expired' });
  expect(await provider.get('/meeting-tokens/a.b.c')).toEqual({
    status: 400,
    body: { error: 'invalid-request-error', info: 'invalid token' },
  });
});

test('refuses a token that would have expired already', async () => {
  await using provider = await startRoomProvider();
  for (const exp of [provider.seconds() - 1, provider.seconds()]) {
    expect(await provider.post('/meeting-tokens', { properties: { exp } })).toEqual({
      status: 400,
      body: { error: 'invalid-request-error', info: `exp was ${exp} which is in the past` },
    });
  }
});

test.each([
  [{ room_name: 'a b' }, 'properties.room_name'],
  [{ exp: 'soon' }, 'properties.exp'],
  [{ is_owner: 1 }, 'properties.is_owner'],
  [{ user_id: 'x'.repeat(37) }, 'properties.user_id'],
  [{ permissions: { canAdmin: ['everything'] } }, 'properties.permissions.canAdmin'],
])('refuses the properties %j', async (properties, info) => {
  await using provider = await startRoomProvider();
  expect(await provider.post('/meeting-tokens', { properties })).toEqual({
    status: 400,
    body: { error: 'invalid-request-error', info: expect.stringContaining(info) },
  });
});
