import type { RouteChange, RouteTarget } from '../../../src/call/number-routing.js';
import { DailyNumberRouting } from '../../../src/providers/daily/numbers.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { API_KEY, startRoomProvider } from '../../sandbox/rooms/room-provider-under-test.js';
import { FakeDomain } from './fake-domain.js';
import { exchange, json, type ReceivedRequest, type Reply, refusal } from './fake-provider.js';

const NUMBER = '+12025550100';
const OURS = 'http://127.0.0.1:1/rooms-dialin-webhook';
const MOVED = 'http://127.0.0.1:2/rooms-dialin-webhook';
const OLD = 'http://127.0.0.1:3/rooms-dialin-webhook';
const THEIRS = 'http://127.0.0.1:4/dialin?key=of%20theirs';
const secretOf = (name: string) => Buffer.from(`the secret of ${name}`).toString('base64');
const SECRET = secretOf('ours');

const target = (changes: Partial<RouteTarget> = {}): RouteTarget => ({
  number: NUMBER,
  urls: { answerUrl: OURS, hangupUrl: OURS },
  leaseId: 'lease123',
  secret: SECRET,
  isOldAddress: (url) => url === OLD,
  ...changes,
});

const moved = (change: RouteChange): RouteChange => ({
  ...change,
  urls: [...change.urls, { answerUrl: MOVED, hangupUrl: MOVED }],
});

/** As it would come back from the disk. */
const reread = (change: RouteChange): RouteChange => JSON.parse(JSON.stringify(change));

type Shape = 'own' | 'legacy' | 'none';
const SHAPES: readonly Shape[] = ['own', 'legacy', 'none'];

/** The number's setting as somebody else made it; `at` is its webhook. */
const theirs = (at = THEIRS) => ({
  phone_number: NUMBER,
  room_creation_api: at,
  name_prefix: 'front-desk',
  hmac: secretOf('the front desk'),
  hold_music_url: 'https://host.example/hold.mp3',
  timeout_config: { message: 'Nobody can take your call right now.' },
});

/** A domain with ten numbers and nine entries of other people, five of them in the array. */
async function startDomain(shape: Shape, ours: object = theirs()) {
  const provider = await startRoomProvider();
  const others = Array.from({ length: 9 }, (_, at) => ({
    ...(at !== 4 && { phone_number: `+1202555011${at + 1}` }),
    room_creation_api: `http://127.0.0.1:5/other-${at}`,
    hmac: secretOf(`other ${at}`),
    ...(at % 2 === 0 && { name_prefix: `other ü ${at}` }),
  }));
  const legacy = [...others.slice(0, 3), ...(shape === 'legacy' ? [ours] : []), ...others.slice(3, 5)];
  await provider.post('/', { properties: { pinless_dialin: legacy } });
  for (const other of others.slice(5))
    await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...other });
  if (shape === 'own') await provider.post('/domain-dialin-config', { type: 'pinless_dialin', ...ours });
  const client = new DailyRestClient({ apiKey: API_KEY, apiUrl: provider.apiUrl });
  const routing = new DailyNumberRouting(client);
  return {
    provider,
    routing,
    client,
    /** All that anybody can read of the dial-in settings, as the provider sends it. */
    stored: async () =>
      JSON.stringify([await provider.get('/'), await provider.get('/domain-dialin-config')], undefined, 1),
    settings: () => provider.account.dialinOf(NUMBER),
    /** As somebody else does it. */
    async change(wanted: { webhookUrl: string; secret: string }) {
      const own = (await client.listDialinConfigs()).find(({ settings }) => settings.phoneNumber === NUMBER);
      if (own) await client.updateDialinConfig(own.id, wanted);
      else await client.setLegacyDialin({ phoneNumber: NUMBER, ...wanted });
    },
    async take(changes: Partial<RouteTarget> = {}) {
      const { change } = await routing.plan(target(changes));
      await routing.apply(reread(change));
      return reread(change);
    },
    async [Symbol.asyncDispose]() {
      await routing.close();
      await provider[Symbol.asyncDispose]();
    },
  };
}

describe('a provider that keeps dial-in settings in the array of the domain only', () => {
  const other = { phone_number: '+12025550111', room_creation_api: THEIRS, hmac: secretOf('other') };
  const unknown = refusal(404, 'unknown path', 'not-found');

  /** Acts on a domain that knows no entries of their own; without a list of numbers where `hidesNumbers` says so. */
  async function act(
    domain: FakeDomain,
    what: (routing: DailyNumberRouting) => Promise<void>,
    { hidesNumbers = false } = {},
  ): Promise<void> {
    domain.before = ({ url }) => {
      if (url.includes('/domain-dialin-config')) return unknown;
      if (!url.includes('/purchased-phone-numbers')) return undefined;
      if (hidesNumbers) return unknown;
      return json({ data: url.includes('starting_after') ? [] : [{ id: 'n-1', number: NUMBER }] });
    };
    const { error } = await exchange(domain.reply, (client) => what(new DailyNumberRouting(client)));
    if (error) throw error;
  }

  test.each([
    ['a number without settings', false],
    ['a number of an account that does not list its numbers', true],
  ])('points %s at us there, moves it, and takes it out again', async (_title, hidesNumbers) => {
    const domain = new FakeDomain([other]);
    await act(
      domain,
      async (routing) => {
        const { change, route } = await routing.plan(target());
        expect(route).toMatchObject({ number: NUMBER, webhookUrl: undefined, heldBy: undefined });
        for (const step of [change, change, moved(change)].map(reread)) {
          await routing.apply(step);
          expect(await routing.verify(step)).toBeUndefined();
        }
        const ours = { phone_number: NUMBER, room_creation_api: MOVED, name_prefix: 'voicebot-lease123', hmac: SECRET };
        expect(domain.entries).toEqual([other, ours]);
        expect(await routing.list()).toContainEqual(expect.objectContaining({ number: NUMBER, webhookUrl: MOVED }));
        expect(await routing.undo(reread(moved(change)))).toBe('restored');
        expect(domain.entries).toEqual([other]);
        expect(await routing.undo(reread(moved(change)))).toBe('unchanged');
      },
      { hidesNumbers },
    );
  });

  test('takes over what an earlier run has left there, and takes it out', async () => {
    const left = {
      phone_number: NUMBER,
      room_creation_api: OLD,
      name_prefix: 'voicebot-before',
      hmac: secretOf('old'),
    };
    const domain = new FakeDomain([left, other]);
    await act(domain, async (routing) => {
      const { change } = await routing.plan(target());
      await routing.apply(change);
      expect(await routing.verify(change)).toBeUndefined();
      expect(await routing.undo(change)).toBe('nothing_to_restore');
      expect(domain.entries).toEqual([other]);
    });
  });

  test('leaves what somebody else has put there meanwhile', async () => {
    const domain = new FakeDomain([other]);
    await act(domain, async (routing) => {
      const { change } = await routing.plan(target());
      await routing.apply(change);
      domain.entries = [other, theirs()];
      expect(await routing.undo(change)).toBe('foreign');
      expect(domain.entries).toEqual([other, theirs()]);
    });
  });
});

describe.each(SHAPES)('a number whose setting is of the kind "%s"', (shape) => {
  test('is pointed at us, moved, and put back byte for byte', async () => {
    await using domain = await startDomain(shape);
    const before = await domain.stored();
    const { change, route } = await domain.routing.plan(target());
    expect(await domain.stored()).toBe(before);
    expect(route).toEqual({
      number: NUMBER,
      webhookUrl: shape === 'none' ? undefined : THEIRS,
      heldBy: {
        own: 'dial-in settings (front-desk)',
        legacy: 'dial-in settings of the domain (front-desk)',
        none: undefined,
      }[shape],
      isOurs: false,
    });
    expect(await domain.routing.verify(change)).toMatch(/^(calls to \+12025550100 go to |\+12025550100 has no)/);

    for (const step of [change, change, moved(change), moved(change)].map(reread)) {
      await domain.routing.apply(step);
      expect(await domain.routing.verify(step)).toBeUndefined();
      expect(domain.settings()).toMatchObject({ webhookUrl: step.urls.at(-1)?.answerUrl, hmac: SECRET });
    }
    expect((await domain.routing.list())[0]).toMatchObject({ number: NUMBER, webhookUrl: MOVED, isOurs: true });
    expect(await domain.routing.undo(reread(moved(change)))).toBe('restored');
    expect(await domain.stored()).toBe(before);
    expect(await domain.routing.undo(reread(moved(change)))).toBe('unchanged');
    expect(await domain.stored()).toBe(before);
  });

  test('is left alone when it was never changed', async () => {
    await using domain = await startDomain(shape);
    const before = await domain.stored();
    const { change } = await domain.routing.plan(target());
    expect(await domain.routing.undo(reread(change))).toBe('unchanged');
    expect(await domain.stored()).toBe(before);
  });

  test('keeps what somebody else has made of it meanwhile', async () => {
    await using domain = await startDomain(shape);
    const change = await domain.take();
    await domain.change({ webhookUrl: `${THEIRS}&new`, secret: secretOf('new') });
    const after = await domain.stored();
    expect(await domain.routing.undo(change)).toBe('foreign');
    expect(await domain.stored()).toBe(after);
    expect(await domain.routing.verify(change)).toBe(
      `calls to ${NUMBER} go to http://127.0.0.1:4/dialin and not to ${OURS}`,
    );
  });

  test('keeps its secret when none is given', async () => {
    await using domain = await startDomain(shape);
    const before = await domain.stored();
    const change = await domain.take({ secret: undefined });
    if (shape !== 'none') expect(domain.settings()?.hmac).toBe(secretOf('the front desk'));
    expect(await domain.routing.verify(change)).toBeUndefined();
    expect(await domain.routing.undo(change)).toBe('restored');
    expect(await domain.stored()).toBe(before);
  });
});

describe('undoing', () => {
  test('puts the secret back too when somebody has put back the address alone', async () => {
    await using domain = await startDomain('own');
    const before = await domain.stored();
    const change = await domain.take();
    const [{ id } = { id: '' }] = domain.provider.account.dialin.records;
    await domain.client.updateDialinConfig(id, { webhookUrl: THEIRS });
    expect(await domain.routing.undo(change)).toBe('restored');
    expect(await domain.stored()).toBe(before);
  });

  test('leaves an entry that somebody has deleted deleted', async () => {
    await using domain = await startDomain('own');
    const change = await domain.take();
    const [{ id } = { id: '' }] = domain.provider.account.dialin.records;
    await domain.client.deleteDialinConfig(id);
    expect(await domain.routing.undo(change)).toBe('nothing_to_restore');
    expect(domain.settings()).toBeUndefined();
    await domain.client.createDialinConfig({ phoneNumber: NUMBER, webhookUrl: OURS, secret: SECRET });
    expect(await domain.routing.undo(change)).toBe('foreign');
    expect(domain.settings()?.webhookUrl).toBe(OURS);
  });

  test('leaves an array out of which somebody has taken the number', async () => {
    await using domain = await startDomain('legacy');
    const change = await domain.take();
    await domain.provider.post('/', { properties: { pinless_dialin: [] } });
    expect(await domain.routing.undo(change)).toBe('nothing_to_restore');
    expect(await domain.stored()).not.toContain(NUMBER);
  });

  test('says so when the provider takes the request and does nothing', async () => {
    const fake = new FakeDomain();
    fake.configs.push({ id: 'a1', type: 'pinless_dialin', config: theirs(OURS) });
    const before = { kind: 'own', id: 'a1', webhookUrl: THEIRS, secret: SECRET };
    const change = { ...target(), urls: [target().urls], before } as unknown as RouteChange;
    fake.before = ({ method }) => (method === 'PUT' ? json(fake.configs[0]) : undefined);
    const { error } = await routed(fake, (routing) => routing.undo(change));
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: true });
    expect(String(error)).toMatch(/afterwards the dial-in settings were not what was asked for/);
  });
});

describe('an address of ours that nobody answers any more', () => {
  test.each(['own', 'legacy'] as const)('is never put back into settings of somebody else: %s', async (shape) => {
    await using domain = await startDomain(shape, theirs(OLD));
    const { change, route } = await domain.routing.plan(target());
    expect(route).toMatchObject({ webhookUrl: OLD, isOurs: true });
    expect(await domain.routing.undo(reread(change))).toBe('nothing_to_restore');
    await domain.routing.apply(reread(change));
    expect(await domain.routing.verify(change)).toBeUndefined();
    expect(await domain.routing.undo(reread(change))).toBe('nothing_to_restore');
    expect(domain.settings()).toMatchObject({ webhookUrl: OURS });
  });

  test('goes with the entry that was made for it', async () => {
    await using domain = await startDomain('none');
    const before = await domain.stored();
    await domain.take({ urls: { answerUrl: OLD, hangupUrl: OLD }, leaseId: 'anearlierlease' });
    const change = await domain.take();
    expect(domain.provider.account.dialin.records).toHaveLength(5);
    expect(domain.settings()?.webhookUrl).toBe(OURS);
    expect(await domain.routing.undo(change)).toBe('nothing_to_restore');
    expect(await domain.stored()).toBe(before);
    expect(await domain.routing.undo(change)).toBe('nothing_to_restore');
  });

  test('and that entry stays when another voicebot has taken it over', async () => {
    await using domain = await startDomain('none');
    await domain.take({ urls: { answerUrl: OLD, hangupUrl: OLD } });
    const change = await domain.take();
    await domain.change({ webhookUrl: MOVED, secret: SECRET });
    expect(await domain.routing.undo(change)).toBe('foreign');
    expect(domain.settings()?.webhookUrl).toBe(MOVED);
  });
});

/** Against a provider that can be made to misbehave. */
const routed = <T>(fake: FakeDomain, act: (routing: DailyNumberRouting) => Promise<T>) => {
  const numbers = [{ id: 'n1', number: NUMBER, type: 'purchased_phone_number' }];
  const reply = (request: ReceivedRequest): Reply => {
    if (!request.url.includes('/purchased-phone-numbers')) return fake.reply(request);
    return json({ data: request.url.includes('starting_after') ? [] : numbers });
  };
  return exchange(reply, (client) => act(new DailyNumberRouting(client)));
};

describe('what could not be put back is refused before anything is changed', () => {
  const { hmac, ...withoutSecret } = theirs();
  const { room_creation_api: _, ...withoutWebhook } = theirs();
  test.each([
    ['an own entry whose secret the provider does not show', 'own', withoutSecret, SECRET, /ROOMS_WEBHOOK_SECRET/],
    ['an entry of the array without its secret', 'legacy', withoutSecret, SECRET, /ROOMS_WEBHOOK_SECRET/],
    ['the same, though the secret is to stay', 'legacy', withoutSecret, undefined, /dashboard/],
    ['an own entry without a webhook', 'own', withoutWebhook, SECRET, /give them a webhook/],
    ['a number whose callers key in PINs', 'pin', { ...theirs(), hmac }, SECRET, /another number/],
  ] as const)('%s', async (_what, kind, entry, secret, hint) => {
    const fake = new FakeDomain(kind === 'legacy' ? [entry] : []);
    const type = kind === 'pin' ? 'pin_dialin' : 'pinless_dialin';
    if (kind !== 'legacy') fake.configs.push({ id: 'a1', type, config: entry });
    const { error, lines } = await routed(fake, (routing) => routing.plan(target({ secret })));
    expect(error).toMatchObject({ code: 'VB_REGISTRATION_FAILED', hint: expect.stringMatching(hint) });
    expect(lines.filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  test('but an own entry whose secret is not shown, and stays, is taken', async () => {
    const fake = new FakeDomain();
    fake.configs.push({ id: 'a1', type: 'pinless_dialin', config: withoutSecret });
    const bytes = JSON.stringify(fake.configs);
    const { result, error } = await routed(fake, async (routing) => {
      const { change } = await routing.plan(target({ secret: undefined }));
      await routing.apply(change);
      expect(await routing.verify(change)).toBeUndefined();
      return routing.undo(reread(change));
    });
    expect(error).toBeUndefined();
    expect(result).toBe('restored');
    expect(JSON.stringify(fake.configs)).toBe(bytes);
  });
});

describe('a new entry whose answer is lost', () => {
  const createOnce = (fake: FakeDomain, isDone: boolean) => {
    let tries = 0;
    fake.before = (request) => {
      if (request.method !== 'POST') return undefined;
      tries += 1;
      if (tries > 1) return refusal(400, 'phone_number is in another dial-in config already');
      const { before } = fake;
      fake.before = () => undefined;
      if (isDone) fake.reply(request);
      fake.before = before;
      return 'break';
    };
  };

  test('is found by its number and our webhook', async () => {
    const fake = new FakeDomain();
    createOnce(fake, true);
    const { result, error } = await routed(fake, async (routing) => {
      const { change } = await routing.plan(target());
      await routing.apply(change);
      expect(await routing.verify(change)).toBeUndefined();
      expect(fake.configs).toHaveLength(1);
      return routing.undo(change);
    });
    expect(error).toBeUndefined();
    expect(result).toBe('restored');
    expect(fake.configs).toEqual([]);
  });

  test('is an error when it was not made', async () => {
    const fake = new FakeDomain();
    createOnce(fake, false);
    const { error } = await routed(fake, async (routing) => {
      const { change } = await routing.plan(target());
      await routing.apply(change);
    });
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: true });
    expect(String(error)).not.toContain(SECRET);
  });
});

test('tells of a secret that is not ours, without telling it', async () => {
  await using domain = await startDomain('own');
  const change = await domain.take();
  const [{ id } = { id: '' }] = domain.provider.account.dialin.records;
  await domain.client.updateDialinConfig(id, { secret: secretOf('somebody') });
  expect(await domain.routing.verify(change)).toBe(
    `the webhooks of ${NUMBER} are signed with another secret than ours`,
  );
});

test('refuses a number that the account has not, and names those it has', async () => {
  await using domain = await startDomain('own');
  const before = await domain.stored();
  await expect(domain.routing.plan(target({ number: '+12025550999' }))).rejects.toMatchObject({
    code: 'VB_NUMBER_UNKNOWN',
    message: expect.stringMatching(/\+12025550999; it has \+12025550100, \+12025550111, .*\+12025550119$/),
    hint: 'set ROOMS_PHONE_NUMBER to one of its numbers',
  });
  expect(await domain.stored()).toBe(before);
});

test('lists every number in order, with who is told of its calls', async () => {
  await using domain = await startDomain('own');
  const routes = await domain.routing.list();
  expect(routes.map(({ number }) => number)).toEqual(domain.provider.account.numbers.map(({ number }) => number));
  expect(routes[0]).toMatchObject({ webhookUrl: THEIRS, heldBy: 'dial-in settings (front-desk)', isOurs: false });
  expect(routes[1]).toMatchObject({
    webhookUrl: 'http://127.0.0.1:5/other-0',
    heldBy: expect.stringMatching(/domain/),
  });
  expect(routes[5]).toMatchObject({ webhookUrl: undefined, heldBy: undefined });
});

test('is what the room provider gives out, which refuses a wrong key', async () => {
  await using domain = await startDomain('none');
  const routing = await daily.createNumberRouting({ apiKey: 'another-key', apiUrl: domain.provider.apiUrl });
  await expect(routing.list()).rejects.toMatchObject({ code: 'VB_CREDENTIALS_REFUSED' });
  await routing.close();
});
