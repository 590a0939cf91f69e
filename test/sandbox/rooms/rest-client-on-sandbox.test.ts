import { asProviderCallId } from '../../../src/call/call-id.js';
import { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { RoomRefusal } from '../../../src/sandbox/rooms/contract.js';
import { isSigned, startDialinWebhook } from './fake-dialin-webhook.js';
import { API_KEY, startRoomProvider } from './room-provider-under-test.js';

const WEBHOOK = 'http://127.0.0.1:1/dialin';
const SECRET = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const NUMBER = '+12025550100';

/** The project's own client against the sandbox, with nothing in between. */
async function startBoth({ apiKey = API_KEY } = {}) {
  const provider = await startRoomProvider();
  const client = new DailyRestClient({ apiKey, apiUrl: provider.apiUrl });
  return {
    provider,
    client,
    /** All that is stored about dial-in, as text. */
    stored: () => JSON.stringify([provider.account.dialin.legacy, provider.account.dialin.records]),
    async [Symbol.asyncDispose]() {
      await client.close();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const withoutSipUri = <T extends { sip_uri: string }>({ sip_uri: _, ...entry }: T) => entry;

test('reads the domain and the numbers', async () => {
  await using both = await startBoth();
  const { account } = both.provider;
  expect(await both.client.domain()).toEqual({ name: 'sandbox', id: account.domainId, legacyDialin: [] });
  expect(await both.client.listPhoneNumbers()).toEqual([...account.numbers].reverse());
});

test('learns that its key is refused', async () => {
  await using both = await startBoth({ apiKey: 'another-key' });
  await expect(both.client.domain()).rejects.toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', status: 401 });
});

test('creates, reads, finds occupied and deletes rooms', async () => {
  await using both = await startBoth();
  const { client, provider } = both;
  const expiresAt = provider.seconds() + 3_600;
  const request = { name: 'one', expiresAt, dialin: { displayName: NUMBER }, allowsDialout: true, idleSeconds: 30 };
  const url = `${provider.origin}/one`;
  expect(await client.createRoom(request)).toEqual({ name: 'one', url, allowsDialout: true });
  expect(provider.account.room('one')?.properties).toEqual({
    exp: expiresAt,
    eject_at_room_exp: true,
    start_video_off: true,
    enable_dialout: true,
    dialout_config: { max_idle_timeout_sec: 30 },
    sip: {
      display_name: NUMBER,
      video: false,
      sip_mode: 'dial-in',
      num_endpoints: 1,
      dialin_config: { max_idle_timeout_sec: 30 },
    },
  });
  expect(await client.getRoom('one')).toEqual({
    name: 'one',
    url,
    allowsDialout: true,
    isPrivate: true,
    expiresAt,
    sipEndpoints: provider.account.room('one')?.sipEndpoints.map((endpoint) => `sip:${endpoint}`),
  });
  await expect(client.createRoom(request)).rejects.toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400 });
  expect(await client.isOccupied('one')).toBe(false);
  provider.live.present.set('one', [
    { sessionId: 's1', userName: 'bot', userId: undefined, joinedAt: new Date(provider.clock.ms) },
  ]);
  expect(await client.isOccupied('one')).toBe(true);
  expect(await client.deleteRoom('one')).toBe('deleted');
  expect(await client.deleteRoom('one')).toBe('no_such_room');
  expect(await client.getRoom('one')).toBeUndefined();
  expect(await client.isOccupied('one')).toBe(false);
});

test('gets tokens that the account reads', async () => {
  await using both = await startBoth();
  const expiresAt = both.provider.seconds() + 60;
  const token = await both.client.createToken({ roomName: 'one', isOwner: true, expiresAt });
  expect(both.provider.account.readToken(token)).toEqual({
    roomName: 'one',
    isOwner: true,
    permissions: undefined,
    userId: undefined,
    userName: undefined,
    exp: expiresAt,
    nbf: undefined,
    ejectsAtExp: false,
  });
});

test('forwards a held caller, or hears that there is none', async () => {
  await using both = await startBoth();
  const { client, provider } = both;
  const held = { providerCallId: asProviderCallId('call'), callDomain: 'domain', sipUri: '1@sandbox.sip.localhost' };
  expect(await client.forwardCaller(held)).toBe('forwarded');
  expect(provider.live.asked).toEqual([
    ['forward', { callId: 'call', callDomain: 'domain', sipUri: 'sip:1@sandbox.sip.localhost' }],
  ]);
  provider.live.refusal = new RoomRefusal(404, 'not-found', 'room is not hosting a call');
  expect(await client.forwardCaller(held)).toBe('no_such_call');
});

test('changes one of ten legacy entries, and leaves nine byte for byte as they were', async () => {
  await using both = await startBoth();
  await using server = await startDialinWebhook();
  const { client, provider } = both;
  const pinless_dialin = provider.account.numbers.map(({ number }, n) => ({
    ...(n % 2 && { name_prefix: `line-${n}` }),
    phone_number: number,
    hmac: Buffer.from(`secret of line ${n}`).toString('base64'),
    room_creation_api: WEBHOOK,
    ...(n % 3 && { timeout_config: { message: `Ünavailable "${n}"\n` } }),
    ...(n % 4 && { hold_music_url: `https://host.example/${n}.mp3` }),
  }));
  await provider.post('/', { properties: { pinless_dialin } });
  const before = [...provider.account.dialin.legacy];
  await client.setLegacyDialin({ phoneNumber: NUMBER, webhookUrl: server.url(), secret: SECRET });
  const after = provider.account.dialin.legacy;
  const [first, ...others] = before;
  const expected = [{ ...first, room_creation_api: server.url(), hmac: SECRET }, ...others];
  expect(JSON.stringify(after)).toBe(JSON.stringify(expected));
  expect(provider.account.dialin.records).toEqual([]);
  expect(isSigned(await server.received.next(), SECRET)).toBe(true);
});

test('adds a legacy entry behind nine others, and leaves those byte for byte as they were', async () => {
  await using both = await startBoth();
  const { client, provider } = both;
  const others = provider.account.numbers
    .slice(1)
    .map(({ number }) => ({ phone_number: number, room_creation_api: WEBHOOK }));
  await provider.post('/', { properties: { pinless_dialin: others } });
  const before = [...provider.account.dialin.legacy];
  await client.setLegacyDialin({ phoneNumber: NUMBER, webhookUrl: WEBHOOK, secret: SECRET });
  const after = provider.account.dialin.legacy;
  expect(JSON.stringify(after.slice(0, 9))).toBe(JSON.stringify(before));
  expect(after.slice(9).map(withoutSipUri)).toEqual([
    { phone_number: NUMBER, room_creation_api: WEBHOOK, hmac: SECRET },
  ]);
});

test('changes an entry of its own by itself, and leaves all others of both kinds as they were', async () => {
  await using both = await startBoth();
  const { client, provider } = both;
  const numbers = provider.account.numbers.map(({ number }) => number);
  const legacy = numbers.slice(5).map((phone_number) => ({ phone_number, room_creation_api: WEBHOOK }));
  await provider.post('/', { properties: { pinless_dialin: legacy } });
  const configs = [];
  for (const phoneNumber of numbers.slice(0, 5)) {
    configs.push(await client.createDialinConfig({ phoneNumber, webhookUrl: WEBHOOK, timeoutMessage: 'Later.' }));
  }
  const [own] = configs;
  const before = both.stored();
  const restored = await client.updateDialinConfig(own?.id as string, { webhookUrl: WEBHOOK });
  expect(restored).toEqual(own);
  expect(both.stored()).toBe(before);
  await client.updateDialinConfig(own?.id as string, { webhookUrl: `${WEBHOOK}/new`, secret: SECRET });
  const { settings } = await client.getDialinConfig(own?.id as string);
  expect(settings).toEqual({ ...own?.settings, webhookUrl: `${WEBHOOK}/new`, secret: SECRET });
  await client.updateDialinConfig(own?.id as string, own?.settings ?? {});
  expect(both.stored()).toBe(before);
});

test('makes an entry of its own for a number without one, and takes it away again', async () => {
  await using both = await startBoth();
  const { client, provider } = both;
  const before = both.stored();
  await client.createDialinConfig({ phoneNumber: NUMBER, webhookUrl: WEBHOOK, secret: SECRET });
  const [config] = await client.listDialinConfigs();
  expect(config).toEqual({
    id: expect.any(String),
    type: 'pinless_dialin',
    settings: {
      phoneNumber: NUMBER,
      webhookUrl: WEBHOOK,
      secret: SECRET,
      sipUri: 'sip:static-address--0@sandbox.sip.localhost',
    },
  });
  expect(provider.account.dialinOf(NUMBER)).toMatchObject({ webhookUrl: WEBHOOK, hmac: SECRET });
  expect(await client.deleteDialinConfig(config?.id as string)).toBe('deleted');
  expect(await client.deleteDialinConfig(config?.id as string)).toBe('no_such_config');
  expect(both.stored()).toBe(before);
});
