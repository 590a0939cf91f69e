import { isSigned, startDialinWebhook } from './fake-dialin-webhook.js';
import { startRoomProvider } from './room-provider-under-test.js';

const WEBHOOK = 'http://127.0.0.1:1/dialin';
const SECRET = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const ENTRY = { phone_number: '+12025550100', room_creation_api: WEBHOOK, hmac: SECRET };

const legacy = (pinless_dialin: unknown) => ({ properties: { pinless_dialin } });
const invalid = (info: string | RegExp) => ({
  status: 400,
  body: { error: 'invalid-request-error', info: expect.stringMatching(info) },
});

test('shows the domain', async () => {
  await using provider = await startRoomProvider();
  expect(await provider.get('/')).toEqual({
    status: 200,
    body: {
      domain_name: 'sandbox',
      domain_id: expect.stringMatching(/^[\da-f-]{36}$/),
      config: { hipaa: false, lang: 'en', pinless_dialin: [] },
    },
  });
});

test('replaces the legacy array as a whole, and answers with the domain', async () => {
  await using provider = await startRoomProvider();
  const full = {
    phone_number: '+12025550100',
    room_creation_api: WEBHOOK,
    name_prefix: 'front-desk',
    hmac: SECRET,
    hold_music_url: 'https://host.example/hold.mp3',
    timeout_config: { message: 'Nobody can take your call.' },
  };
  const { status, body } = await provider.post('/', legacy([full, { room_creation_api: WEBHOOK }]));
  expect(status).toBe(200);
  expect(body).toMatchObject({ domain_name: 'sandbox' });
  expect(body.config.pinless_dialin).toEqual([
    { sip_uri: 'static-address--0@sandbox.sip.localhost', ...full },
    { sip_uri: 'static-address--1@sandbox.sip.localhost', room_creation_api: WEBHOOK, hmac: expect.any(String) },
  ]);
  expect((await provider.get('/')).body).toEqual(body);
  const { body: next } = await provider.post('/', legacy([{ ...full, phone_number: '+12025550111' }]));
  expect(next.config.pinless_dialin).toMatchObject([{ phone_number: '+12025550111' }]);
  expect((await provider.post('/', { properties: {} })).body).toEqual(next);
  expect((await provider.post('/', legacy([]))).body.config.pinless_dialin).toEqual([]);
});

test('mints a secret for an entry that comes without, each time', async () => {
  await using provider = await startRoomProvider();
  const { hmac: _, ...bare } = ENTRY;
  const mint = async () => (await provider.post('/', legacy([bare]))).body.config.pinless_dialin[0].hmac;
  const [first, second] = [await mint(), await mint()];
  expect(Buffer.from(first, 'base64')).toHaveLength(32);
  expect(first).not.toBe(second);
});

test('leaves entries that are sent back as they were, addresses too', async () => {
  await using provider = await startRoomProvider();
  const entries = [
    ...['+12025550111', '+12025550112'].map((phone_number) => ({ ...ENTRY, phone_number })),
    { room_creation_api: WEBHOOK, hmac: SECRET },
    { room_creation_api: WEBHOOK, hmac: SECRET, name_prefix: 'other' },
  ];
  const [first, ...others] = (await provider.post('/', legacy(entries))).body.config.pinless_dialin;
  const { body } = await provider.post('/', legacy([...others, ENTRY]));
  expect(JSON.stringify(body.config.pinless_dialin.slice(0, 3))).toBe(JSON.stringify(others));
  const addresses = body.config.pinless_dialin.map((entry: { sip_uri: string }) => entry.sip_uri);
  expect(new Set([...addresses, first.sip_uri]).size).toBe(5);
});

test('tries every webhook of the array, signed, and takes it whatever they say', async () => {
  await using provider = await startRoomProvider();
  await using server = await startDialinWebhook((_request, response) => response.writeHead(500).end());
  const entries = [
    { ...ENTRY, room_creation_api: server.url('/a') },
    { room_creation_api: server.url('/b'), hmac: SECRET },
    { ...ENTRY, phone_number: '+12025550111' },
  ];
  expect((await provider.post('/', legacy(entries))).status).toBe(200);
  const webhooks = [await server.received.next(), await server.received.next()].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
  expect(webhooks).toMatchObject([
    { path: '/a', body: { Test: 'test', To: '+12025550100' } },
    { path: '/b', body: { Test: 'test' } },
  ]);
  for (const webhook of webhooks) expect(isSigned(webhook, SECRET)).toBe(true);
  expect((await provider.get('/')).body.config.pinless_dialin).toHaveLength(3);
});

test.each([
  [legacy([{ ...ENTRY, color: 'red' }]), "unknown parameter 'properties.pinless_dialin.0.color'"],
  [legacy([{ ...ENTRY, phone_number: '+14155550100' }]), 'not a number of this domain'],
  [legacy([{ ...ENTRY, phone_number: '12025550100' }]), 'phone_number: must be a phone number'],
  [legacy([ENTRY, ENTRY]), 'in another dial-in config already'],
  [legacy([{ ...ENTRY, room_creation_api: 'https://host.example/dialin' }]), 'only this machine'],
  [legacy([{ ...ENTRY, room_creation_api: 'nonsense' }]), 'not a http: or https: address'],
  [legacy([{ phone_number: '+12025550100' }]), 'room_creation_api'],
  [legacy([{ ...ENTRY, hmac: '***' }]), 'must be base64'],
  [legacy([{ ...ENTRY, hold_music_url: 'file:///hold.mp3' }]), 'hold_music_url'],
  [legacy([{ ...ENTRY, timeout_config: 'text' }]), 'timeout_config'],
  [legacy(ENTRY), 'pinless_dialin'],
  [{ properties: { color: 'red' } }, "unknown parameter 'properties.color'"],
  [{ pinless_dialin: [] }, 'properties'],
  [{}, 'properties'],
])('refuses %j for the domain, and changes nothing', async (body, info) => {
  await using provider = await startRoomProvider();
  const { body: before } = await provider.post('/', legacy([{ ...ENTRY, phone_number: '+12025550119' }]));
  expect(await provider.post('/', body)).toEqual(invalid(info));
  expect((await provider.get('/')).body).toEqual(before);
});

test('creates, shows, changes and deletes one entry, and touches no other', async () => {
  await using provider = await startRoomProvider();
  await using server = await startDialinWebhook();
  await provider.post('/', legacy([{ ...ENTRY, phone_number: '+12025550119' }]));
  const other = (
    await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ENTRY, phone_number: '+12025550111' })
  ).body;
  const all = async () =>
    JSON.stringify([(await provider.get('/')).body, (await provider.get(`/domain-dialin-config/${other.id}`)).body]);
  const before = await all();

  const fields = {
    ...ENTRY,
    room_creation_api: server.url(),
    name_prefix: 'bot',
    timeout_config: { message: 'Later.' },
  };
  const { status, body: created } = await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...fields });
  expect(status).toBe(200);
  const sip_uri = 'static-address--2@sandbox.sip.localhost';
  expect(created).toEqual({ id: expect.any(String), type: 'pinless_dialin', config: { ...fields, sip_uri } });
  const webhook = await server.received.next();
  expect(webhook).toMatchObject({ body: { Test: 'test', To: ENTRY.phone_number } });
  expect(isSigned(webhook, SECRET)).toBe(true);

  const path = `/domain-dialin-config/${created.id}`;
  expect((await provider.get(path)).body).toEqual(created);
  expect(provider.account.dialinOf(ENTRY.phone_number)).toMatchObject({
    webhookUrl: server.url(),
    timeoutMessage: 'Later.',
  });
  const { body: changed } = await provider.put(path, { room_creation_api: server.url('/new'), hmac: 'YQ==' });
  expect(changed).toEqual({
    ...created,
    config: { ...created.config, room_creation_api: server.url('/new'), hmac: 'YQ==' },
  });
  expect(isSigned(await server.received.next(({ path }) => path === '/new'), 'YQ==')).toBe(true);
  const { config } = (await provider.put(path, changed.config)).body;
  expect(config).toEqual(changed.config);

  expect(await provider.delete(path)).toEqual({ status: 200, body: { status: expect.any(String) } });
  expect(provider.account.dialinOf(ENTRY.phone_number)).toBeUndefined();
  for (const answer of [await provider.get(path), await provider.put(path, {}), await provider.delete(path)]) {
    expect(answer).toMatchObject({ status: 404, body: { error: 'not-found' } });
  }
  expect(await all()).toBe(before);
});

test('moves a number into the array from an entry of its own, with a new secret and the same address', async () => {
  await using provider = await startRoomProvider();
  const create = (phone_number: string) =>
    provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ENTRY, phone_number });
  const [own, other] = [(await create('+12025550100')).body, (await create('+12025550111')).body];
  // Word for word what the specification sends.
  const { status, body } = await provider.post('/', {
    properties: {
      pinless_dialin: [{ phone_number: '+12025550100', room_creation_api: 'http://127.0.0.1:2/rooms-dialin-webhook' }],
    },
  });
  expect(status).toBe(200);
  const [entry] = body.config.pinless_dialin;
  expect(entry).toEqual({
    sip_uri: own.config.sip_uri,
    phone_number: '+12025550100',
    room_creation_api: 'http://127.0.0.1:2/rooms-dialin-webhook',
    hmac: expect.any(String),
  });
  expect(entry.hmac).not.toBe(SECRET);
  expect(provider.account.dialinOf('+12025550100')).toMatchObject({
    webhookUrl: entry.room_creation_api,
    hmac: entry.hmac,
  });
  expect((await provider.get('/domain-dialin-config')).body.data).toEqual([other]);
  expect((await provider.get(`/domain-dialin-config/${own.id}`)).status).toBe(404);
});

test('keeps the entry of a number when an array that names it is refused', async () => {
  await using provider = await startRoomProvider();
  const { body: own } = await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ENTRY });
  expect((await provider.post('/', legacy([ENTRY, ENTRY]))).status).toBe(400);
  expect((await provider.get(`/domain-dialin-config/${own.id}`)).body).toEqual(own);
});

test('has a number in one config only, of either kind', async () => {
  await using provider = await startRoomProvider();
  const create = (fields: object) =>
    provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ENTRY, ...fields });
  const taken = invalid('in another dial-in config already');
  await provider.post('/', legacy([ENTRY]));
  expect(await create({})).toEqual(taken);
  const { body } = await create({ phone_number: '+12025550111' });
  expect(await create({ phone_number: '+12025550111' })).toEqual(taken);
  expect(await provider.put(`/domain-dialin-config/${body.id}`, { phone_number: '+12025550100' })).toEqual(taken);
  expect((await provider.put(`/domain-dialin-config/${body.id}`, { phone_number: '+12025550112' })).status).toBe(200);
  expect((await provider.post('/', legacy([{ ...ENTRY, phone_number: '+12025550111' }]))).status).toBe(200);
});

test.each([
  [{ ...ENTRY }, 'type'],
  [{ ...ENTRY, type: 'pin_dialin' }, 'no PINs'],
  [{ ...ENTRY, type: 'pinless_dialin', color: 'red' }, "unknown parameter 'color'"],
  [{ ...ENTRY, type: 'pinless_dialin', phone_number: '+14155550100' }, 'not a number of this domain'],
  [{ ...ENTRY, type: 'pinless_dialin', room_creation_api: 'http://10.0.0.1/' }, 'only this machine'],
])('refuses the entry %j', async (fields, info) => {
  await using provider = await startRoomProvider();
  expect(await provider.post('/domain-dialin-config', fields)).toEqual(invalid(info));
  expect((await provider.get('/domain-dialin-config')).body).toEqual({ total_count: 0, data: [] });
});

test('refuses to change what cannot be changed', async () => {
  await using provider = await startRoomProvider();
  const { body } = await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ENTRY });
  for (const [change, info] of [
    [{ type: 'pinless_dialin' }, "unknown parameter 'type'"],
    [{ room_creation_api: 'http://host.example/' }, 'only this machine'],
    [{ hmac: 5 }, 'hmac'],
  ] as const) {
    expect(await provider.put(`/domain-dialin-config/${body.id}`, change)).toEqual(invalid(info));
  }
  expect((await provider.get(`/domain-dialin-config/${body.id}`)).body).toEqual(body);
});

test('lists the entries newest first, filtered and in pages', async () => {
  await using provider = await startRoomProvider();
  const ids: string[] = [];
  for (const { number } of provider.account.numbers) {
    const name_prefix = `line-${number.at(-1)}`;
    const fields = { type: 'pinless_dialin', phone_number: number, name_prefix, room_creation_api: WEBHOOK };
    ids.unshift((await provider.post('/domain-dialin-config', fields)).body.id);
  }
  const list = async (query = '') => {
    const { body } = await provider.get(`/domain-dialin-config${query}`);
    return { total: body.total_count, ids: body.data.map(({ id }: { id: string }) => id) };
  };
  expect(await list()).toEqual({ total: 10, ids });
  expect(await list('?limit=3')).toEqual({ total: 10, ids: ids.slice(0, 3) });
  expect(await list(`?limit=3&starting_after=${ids[2]}`)).toEqual({ total: 10, ids: ids.slice(3, 6) });
  expect(await list(`?starting_after=${ids[9]}`)).toEqual({ total: 10, ids: [] });
  expect(await list(`?limit=2&ending_before=${ids[4]}`)).toEqual({ total: 10, ids: ids.slice(2, 4) });
  expect(await list(`?ending_before=${ids[0]}`)).toEqual({ total: 10, ids: [] });
  expect(await list('?limit=4&ending_before=OLDEST')).toEqual({ total: 10, ids: ids.slice(6) });
  expect(await list('?phone_number=%2B12025550111')).toEqual({ total: 1, ids: [ids[8]] });
  expect(await list('?phone_numbers=0112,50119')).toEqual({ total: 2, ids: [ids[0], ids[7]] });
  expect(await list('?name_prefix=line-3')).toEqual({ total: 1, ids: [ids[6]] });
  expect(await list('?type=pin_dialin')).toEqual({ total: 0, ids: [] });
  const bad = [
    'limit=0',
    'limit=101',
    'limit=x',
    'starting_after=x',
    'ending_before=x',
    'limit=1&limit=2',
    `starting_after=${ids[0]}&ending_before=${ids[1]}`,
  ];
  for (const query of bad) expect((await provider.get(`/domain-dialin-config?${query}`)).status).toBe(400);
});
