import { createHmac } from 'node:crypto';
import { silentLogger } from '../../../src/base/logger.js';
import { SandboxRoomAccount } from '../../../src/sandbox/rooms/account.js';
import { API_KEY } from './room-provider-under-test.js';

const NOW = Date.UTC(2026, 0, 1);

function account() {
  const clock = { ms: NOW };
  const options = { apiKey: API_KEY, baseUrl: () => 'http://127.0.0.1:1', logger: silentLogger, now: () => clock.ms };
  return { clock, account: new SandboxRoomAccount(options) };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as any JWT library would sign it. */
function selfSigned(payload: unknown, { header = { alg: 'HS256', typ: 'JWT' } as object, key = API_KEY } = {}): string {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test('has ten numbers, the bot’s first, with the same ids at every start', () => {
  const { numbers } = account().account;
  expect(numbers.map(({ number }) => number)).toEqual([
    '+12025550100',
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `+1202555011${n}`),
  ]);
  expect(new Set(numbers.map(({ id }) => id)).size).toBe(10);
  for (const { id } of numbers) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(account().account.numbers).toEqual(numbers);
});

test('finds a room by its address, however it is written, until the room expires', () => {
  const { account: sandbox, clock } = account();
  const exp = NOW / 1_000 + 60;
  const sip = { display_name: 'a', sip_mode: 'dial-in', num_endpoints: 2 };
  const room = sandbox.rooms.create({ name: 'one', properties: { exp, sip } });
  const other = sandbox.rooms.create({ name: 'two', properties: { sip } });
  expect(room.url).toBe('http://127.0.0.1:1/one');
  expect(new Set([...room.sipEndpoints, ...other.sipEndpoints]).size).toBe(4);
  for (const endpoint of room.sipEndpoints) {
    expect(endpoint).toMatch(/^\d+@sandbox\.sip\.localhost$/);
    for (const uri of [endpoint, `sip:${endpoint}`, `SIP:${endpoint}?x-daily_display_name=Ada`, `${endpoint};a=b`]) {
      expect(sandbox.roomAt(uri)?.name).toBe('one');
    }
  }
  expect(sandbox.roomAt('')).toBeUndefined();
  expect(sandbox.roomAt('sip:1@sandbox.sip.localhost')).toBeUndefined();
  clock.ms += 59_999;
  expect(sandbox.room('one')).toEqual(room);
  clock.ms += 1;
  expect(sandbox.room('one')).toBeUndefined();
  expect(sandbox.roomAt(room.sipEndpoints[0] as string)).toBeUndefined();
  expect(sandbox.room('two')).toEqual(other);
});

test('keeps a room’s addresses for its life', () => {
  const { account: sandbox } = account();
  const sip = { display_name: 'a', sip_mode: 'dial-in' };
  const [first] = sandbox.rooms.create({ name: 'one', properties: { sip } }).sipEndpoints;
  const more = sandbox.rooms.update('one', { properties: { sip: { ...sip, num_endpoints: 3 } } }).sipEndpoints;
  expect(more).toEqual([first, expect.any(String), expect.any(String)]);
  expect(sandbox.rooms.update('one', { properties: { sip: null } }).sipEndpoints).toEqual([]);
  expect(sandbox.roomAt(first as string)).toBeUndefined();
  expect(sandbox.rooms.update('one', { properties: { sip: { ...sip, num_endpoints: 3 } } }).sipEndpoints).toEqual(more);
});

test('reads the tokens that it has signed', () => {
  const { account: sandbox } = account();
  const token = sandbox.createToken({ r: 'one', o: true, u: 'bot', ud: 'u1', exp: 2, nbf: 1, ejt: true });
  expect(sandbox.readToken(token)).toEqual({
    roomName: 'one',
    isOwner: true,
    permissions: undefined,
    userName: 'bot',
    userId: 'u1',
    exp: 2,
    nbf: 1,
    ejectsAtExp: true,
  });
  expect(sandbox.readToken(sandbox.createToken({}))).toEqual({
    isOwner: false,
    permissions: undefined,
    ejectsAtExp: false,
  });
});

test.each([
  [true, true],
  [false, false],
  ['p', ['participants']],
  ['s,p,t', ['participants', 'streaming', 'transcription']],
  ['s,t', ['streaming', 'transcription']],
])('reads who may administer %j as %j', (ca, canAdmin) => {
  const { account: sandbox } = account();
  expect(sandbox.readToken(sandbox.createToken({ p: { ca } }))).toMatchObject({
    isOwner: false,
    permissions: { canAdmin },
  });
});

test('reads tokens that a client has signed itself', () => {
  const { account: sandbox } = account();
  const token = selfSigned({ r: 'one', iat: 1, d: sandbox.domainId, o: true });
  expect(sandbox.readToken(token)).toMatchObject({ roomName: 'one', isOwner: true });
});

test('refuses tokens of another key, domain, algorithm or form', () => {
  const { account: sandbox } = account();
  const d = sandbox.domainId;
  const good = selfSigned({ d });
  const [header, , signature] = good.split('.');
  const bad = [
    '',
    'nonsense',
    '..',
    good.slice(0, -1),
    `${good}x`,
    `${good}.${signature}`,
    `${header}.${part({ d, o: true })}.${signature}`,
    `${header}.${part({ d })}.`,
    selfSigned({ d }, { key: 'other' }),
    selfSigned({ d: 'another-domain' }),
    selfSigned({}),
    selfSigned({ d, exp: 'never' }),
    selfSigned('text'),
    selfSigned({ d }, { header: { alg: 'none' } }),
    selfSigned({ d }, { header: { alg: 'HS512' } }),
    account().account.createToken({}),
  ];
  expect(sandbox.readToken(good)).toBeDefined();
  for (const token of bad) expect(sandbox.readToken(token)).toBeUndefined();
});

test('finds where calls to a number go in both stores', () => {
  const { account: sandbox } = account();
  const [first, second] = sandbox.numbers.map(({ number }) => number) as [string, string];
  const room_creation_api = 'http://127.0.0.1:1/dialin';
  sandbox.dialin.replaceLegacy([
    { phone_number: first, room_creation_api, hmac: 'YQ==', timeout_config: { message: 'No.' } },
  ]);
  sandbox.dialin.create({ phone_number: second, room_creation_api });
  expect(sandbox.dialinOf(first)).toEqual({
    phoneNumber: first,
    webhookUrl: room_creation_api,
    hmac: 'YQ==',
    timeoutMessage: 'No.',
    sipUri: 'static-address--0@sandbox.sip.localhost',
  });
  expect(sandbox.dialinOf(second)).toMatchObject({
    phoneNumber: second,
    sipUri: 'static-address--1@sandbox.sip.localhost',
  });
  expect(sandbox.dialinOf('+12025550119')).toBeUndefined();
});
