import type { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { FakeDomain } from './fake-domain.js';
import { busy, exchange, json, type Reply, refusal } from './fake-provider.js';

const number = '+12025550100';
const webhookUrl = 'https://host.example/rooms-dialin-webhook';
const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const target = { phoneNumber: number, webhookUrl, secret };
const fieldsOf = { phone_number: number, room_creation_api: webhookUrl, hmac: secret };

/** Nine entries of other people, of all the shapes there are. */
const others = Array.from({ length: 9 }, (_, at) => ({
  ...(at % 4 === 3 ? {} : { phone_number: `+1202555018${at}` }),
  room_creation_api: `https://other-${at}.example/dialin?a=1&b=%20`,
  name_prefix: `prefix ü ${at} \u2028"\\/`,
  hmac: Buffer.from(`secret ${at} of somebody else`).toString('base64'),
  ...(at % 2 === 0 && { hold_music_url: 'https://host.example/hold.mp3' }),
  ...(at % 3 === 0 && { timeout_config: { message: 'Nobody can take your call right now.', extra: [1, null, {}] } }),
  unknown_to_us: { 2: 'b', 1: 'a', nested: [true] },
}));
const ours = {
  phone_number: number,
  room_creation_api: 'https://old.example',
  hmac: 'b2xk',
  name_prefix: 'keep me',
  hold_music_url: 'https://old.example/hold.mp3',
};

const setLegacy = (client: DailyRestClient) => client.setLegacyDialin(target);
const writes = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('GET'));

describe('the domain', () => {
  test('tells its name and the settings of the older kind', async () => {
    const domain = new FakeDomain([
      { ...ours, timeout_config: { message: 'Later.' } },
      { room_creation_api: 'https://b.example', hmac: 'Yg==' },
    ]);
    const { result, lines } = await exchange(domain.reply, (client) => client.domain());
    expect(lines).toEqual(['GET /']);
    expect(result).toEqual({
      name: 'acme',
      id: 'd-1',
      legacyDialin: [
        {
          phoneNumber: number,
          webhookUrl: 'https://old.example',
          secret: 'b2xk',
          namePrefix: 'keep me',
          holdMusicUrl: 'https://old.example/hold.mp3',
          timeoutMessage: 'Later.',
          sipUri: 'sip:static-address--0@acme.sip.daily.co',
        },
        { webhookUrl: 'https://b.example', secret: 'Yg==', sipUri: 'sip:static-address--1@acme.sip.daily.co' },
      ],
    });
  });

  test('may have no such settings', async () => {
    const { result } = await exchange([json({ domain_name: 'a', domain_id: 'b', config: {} })], (c) => c.domain());
    expect(result).toEqual({ name: 'a', id: 'b', legacyDialin: [] });
  });

  test.each(['', '[]', '{}', '{"config":[]}', '{"config":{"pinless_dialin":{}}}', '{"config":{"pinless_dialin":[1]}}'])(
    'is not taken for one without settings when it answers %j',
    async (body) => {
      const { error, lines } = await exchange([{ status: 200, body }], setLegacy);
      expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
      expect(lines).toEqual(['GET /']);
    },
  );
});

describe('changing the older kind of settings', () => {
  test.each([0, 4, 9])('leaves nine other entries byte for byte as they were, ours at place %d', async (at) => {
    const domain = new FakeDomain([...others.slice(0, at), ours, ...others.slice(at)]);
    const bytes = JSON.stringify(others);
    const { error, lines, bodies } = await exchange(domain.reply, setLegacy);
    expect(error).toBeUndefined();
    expect(lines).toEqual(['GET /', 'POST /', 'GET /']);
    expect(JSON.stringify(domain.entries.toSpliced(at, 1))).toBe(bytes);
    expect(domain.entries[at]).toEqual({ ...ours, ...fieldsOf });
    expect(bodies[1]).toEqual({ properties: { pinless_dialin: domain.entries } });
    expect(JSON.stringify(bodies[1])).not.toContain('sip_uri');
  });

  test('changes only what is said', async () => {
    const domain = new FakeDomain([ours, ...others]);
    const act = (client: DailyRestClient) => client.setLegacyDialin({ phoneNumber: number, timeoutMessage: 'Later.' });
    expect(await exchange(domain.reply, act)).toMatchObject({ error: undefined });
    expect(domain.entries).toEqual([{ ...ours, timeout_config: { message: 'Later.' } }, ...others]);
  });

  test('adds a number that is not there', async () => {
    const domain = new FakeDomain(others);
    expect(await exchange(domain.reply, setLegacy)).toMatchObject({ error: undefined });
    expect(domain.entries).toEqual([...others, fieldsOf]);
  });

  test('does not touch anything when another entry hides its secret, which would be replaced', async () => {
    const { hmac: _, ...hidden } = others[2] as (typeof others)[number];
    const domain = new FakeDomain([ours, hidden]);
    const { error, lines } = await exchange(domain.reply, setLegacy);
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      message: expect.stringContaining('would replace the secret of another entry'),
      hint: expect.any(String),
    });
    expect(lines).toEqual(['GET /']);
    expect(domain.entries).toEqual([ours, hidden]);
  });

  test.each<[string, (entries: Record<string, unknown>[]) => Record<string, unknown>[]]>([
    ['an entry more', (entries) => [...entries, { phone_number: '+12025550199', hmac: 'bmV3' }]],
    ['an entry less', (entries) => entries.slice(0, -1)],
    ['another order', (entries) => entries.toReversed()],
    ['another secret of somebody', (entries) => entries.with(-1, { ...entries.at(-1), hmac: 'cm90YXRlZA==' })],
    ['an entry without a field', (entries) => entries.with(-1, { phone_number: '+1', hmac: 'eA==' })],
    ['our number gone', (entries) => entries.slice(1)],
  ])('fails when it finds %s afterwards', async (_title, change) => {
    const domain = new FakeDomain([ours, ...others]);
    let isWritten = false;
    domain.before = ({ method }) => {
      if (isWritten && method === 'GET') domain.entries = change(domain.entries);
      isWritten ||= method === 'POST';
      return undefined;
    };
    const { error, lines } = await exchange(domain.reply, setLegacy);
    expect(error).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      message: expect.stringContaining('the settings of other numbers are not what they were'),
      mayBeDone: true,
      hint: expect.any(String),
    });
    expect(lines).toEqual(['GET /', 'POST /', 'GET /']);
  });

  test('fails when somebody else has changed our number afterwards', async () => {
    const domain = new FakeDomain([ours, ...others]);
    domain.before = ({ method }) => {
      if (method !== 'GET') return undefined;
      domain.entries = domain.entries.map((entry) => ({
        ...entry,
        ...(entry.phone_number === number && { room_creation_api: 'https://rival.example' }),
      }));
      return undefined;
    };
    const { error } = await exchange(domain.reply, setLegacy);
    expect(error).toMatchObject({ message: expect.stringContaining('the settings of the number are not') });
  });

  test('looks again at what is there when the provider was busy', async () => {
    const domain = new FakeDomain([ours]);
    let isBusy = true;
    domain.before = ({ method }) => {
      if (method !== 'POST' || !isBusy) return undefined;
      isBusy = false;
      domain.entries = [...others, ours];
      return busy('1');
    };
    const { error, lines, pauses } = await exchange(domain.reply, setLegacy);
    expect(error).toBeUndefined();
    expect(lines).toEqual(['GET /', 'POST /', 'GET /', 'POST /', 'GET /']);
    expect(domain.entries).toEqual([...others, { ...ours, ...fieldsOf }]);
    expect(pauses).toEqual([1_000]);
  });

  test.each<[Reply]>([['break'], [json({}, 500)]])('is not written twice after %j', async (reply) => {
    const domain = new FakeDomain([ours, ...others]);
    domain.before = ({ method }) => (method === 'POST' ? reply : undefined);
    const { error, lines } = await exchange(domain.reply, setLegacy);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: true });
    expect(lines).toEqual(['GET /', 'POST /']);
  });

  test('gives up when the provider stays busy', async () => {
    const domain = new FakeDomain([ours]);
    domain.before = ({ method }) => (method === 'POST' ? busy('4') : undefined);
    const { error, lines } = await exchange(domain.reply, setLegacy);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 429, retryAfterMs: 4_000 });
    expect(writes(lines)).toHaveLength(3);
    expect(domain.entries).toEqual([ours]);
  });

  test('keeps both of two changes that begin at once', async () => {
    const domain = new FakeDomain(others);
    const phoneNumber = '+12025550111';
    const { error } = await exchange(domain.reply, (client) =>
      Promise.all([client.setLegacyDialin(target), client.setLegacyDialin({ ...target, phoneNumber })]),
    );
    expect(error).toBeUndefined();
    expect(domain.entries).toEqual([...others, fieldsOf, { ...fieldsOf, phone_number: phoneNumber }]);
  });

  test('goes on after a change that failed', async () => {
    const domain = new FakeDomain([ours]);
    let isFirst = true;
    domain.before = () => {
      const wasFirst = isFirst;
      isFirst = false;
      return wasFirst ? refusal(403, 'no') : undefined;
    };
    const { result } = await exchange(domain.reply, (client) =>
      Promise.allSettled([client.setLegacyDialin(target), client.setLegacyDialin(target)]),
    );
    expect(result?.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('settings of their own', () => {
  const stored = { id: 'c-1', type: 'pinless_dialin', config: { ...ours, sip_uri: 'static@acme.sip.daily.co' } };
  const settings = {
    phoneNumber: number,
    webhookUrl: 'https://old.example',
    secret: 'b2xk',
    namePrefix: 'keep me',
    holdMusicUrl: 'https://old.example/hold.mp3',
    sipUri: 'sip:static@acme.sip.daily.co',
  };

  test('are created with their type', async () => {
    const { result, lines, bodies } = await exchange([json(stored)], (client) =>
      client.createDialinConfig({
        ...target,
        namePrefix: 'p',
        holdMusicUrl: 'https://h.mp3',
        timeoutMessage: 'Later.',
      }),
    );
    expect(result).toEqual({ id: 'c-1', type: 'pinless_dialin', settings });
    expect(lines).toEqual(['POST /domain-dialin-config']);
    expect(bodies).toEqual([
      {
        type: 'pinless_dialin',
        ...fieldsOf,
        name_prefix: 'p',
        hold_music_url: 'https://h.mp3',
        timeout_config: { message: 'Later.' },
      },
    ]);
  });

  test('are read', async () => {
    const { result, lines } = await exchange([json(stored)], (client) => client.getDialinConfig('c-1'));
    expect(result).toEqual({ id: 'c-1', type: 'pinless_dialin', settings });
    expect(lines).toEqual(['GET /domain-dialin-config/c-1']);
  });

  test('are changed where it is said, and nowhere else', async () => {
    const act = (client: DailyRestClient) => client.updateDialinConfig('c-1', { webhookUrl });
    const { lines, bodies } = await exchange([json(stored)], act);
    expect(lines).toEqual(['PUT /domain-dialin-config/c-1']);
    expect(bodies).toEqual([{ room_creation_api: webhookUrl }]);
  });

  test.each<[Reply[], string]>([
    [[json({ status: 'deleted' })], 'deleted'],
    [[{ status: 200 }], 'deleted'],
    [[refusal(404, 'not found')], 'no_such_config'],
    [['break', refusal(404, 'not found')], 'deleted'],
  ])('are deleted: %j is %s', async (script, expected) => {
    const { result, lines } = await exchange(script, (client) => client.deleteDialinConfig('c-1'));
    expect(result).toBe(expected);
    expect(lines[0]).toBe('DELETE /domain-dialin-config/c-1');
  });

  test.each(['', '{}', '{"id":"c-1"}', '{"id":7,"type":"pinless_dialin"}'])('fail on the answer %j', async (body) => {
    const acts = [
      (client: DailyRestClient) => client.getDialinConfig('c-1'),
      (client: DailyRestClient) => client.updateDialinConfig('c-1', { webhookUrl }),
      (client: DailyRestClient) => client.createDialinConfig(target),
    ];
    for (const act of acts) {
      const { error } = await exchange([{ status: 200, body }], act);
      expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
    }
  });

  test('are not created twice when the answer is lost', async () => {
    const { error, lines } = await exchange(['break', json(stored)], (client) => client.createDialinConfig(target));
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: true });
    expect(lines).toHaveLength(1);
  });
});

describe('a list', () => {
  const manyConfigs = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `c ${at}`, type: 'pinless_dialin', config: {} }));

  test.each([0, 1, 99, 100, 101, 250])('of %d settings is read page by page, to the empty one', async (count) => {
    const domain = new FakeDomain();
    domain.configs.push(...manyConfigs(count));
    const { result, lines } = await exchange(domain.reply, (client) => client.listDialinConfigs());
    expect(result?.map(({ id }) => id)).toEqual(manyConfigs(count).map(({ id }) => id));
    expect(lines).toHaveLength(Math.ceil(count / 100) + 1);
    expect(lines[0]).toBe('GET /domain-dialin-config?limit=100');
    if (count > 100) expect(lines[1]).toBe('GET /domain-dialin-config?limit=100&starting_after=c+99');
  });

  test('skips what it does not know', async () => {
    const data = [{ id: 'a' }, null, 7, { id: 'b', type: 'pin_dialin', config: { phone_number: number } }];
    const { result } = await exchange([json({ data }), json({ data: [] })], (client) => client.listDialinConfigs());
    expect(result).toEqual([{ id: 'b', type: 'pin_dialin', settings: { phoneNumber: number } }]);
  });

  test.each<[string, Reply]>([
    ['begins again', json({ data: manyConfigs(1) })],
    ['has nothing to go on with', json({ data: [{ type: 'pinless_dialin' }] })],
    ['is none', json({ data: {} })],
    ['is missing', json({})],
    ['cannot be read', { status: 200, body: '<html>' }],
  ])('that %s fails', async (_title, reply) => {
    const { error, lines } = await exchange([reply], (client) => client.listDialinConfigs());
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
    expect(lines.length).toBeLessThanOrEqual(2);
  });

  test('that never ends fails', async () => {
    let count = 0;
    const endless = () => {
      count += 1;
      return json({ data: [{ id: `c-${count}`, type: 'pinless_dialin', config: {} }] });
    };
    const { error, lines } = await exchange(endless, (client) => client.listDialinConfigs());
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
    expect(lines).toHaveLength(100);
  });

  test('of telephone numbers has those of the account', async () => {
    const data = [
      { name: null, id: 'n-1', type: 'purchased_phone_number', number: '+12025550100', verified: true },
      { id: 'n-2', type: 'verified_caller_id', number: '+12025550101' },
      { id: 'n-3', number: '+12025550102' },
      { id: 'n-4', type: 'purchased_phone_number' },
    ];
    const script = [json({ total_count: 4, data }), json({ total_count: 4, data: [] })];
    const { result, lines } = await exchange(script, (client) => client.listPhoneNumbers());
    expect(result).toEqual([
      { id: 'n-1', number: '+12025550100' },
      { id: 'n-3', number: '+12025550102' },
    ]);
    expect(lines).toEqual([
      'GET /purchased-phone-numbers?limit=100',
      'GET /purchased-phone-numbers?limit=100&starting_after=n-4',
    ]);
  });
});
