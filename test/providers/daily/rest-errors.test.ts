import { inspect } from 'node:util';
import fc from 'fast-check';
import { VoicebotError } from '../../../src/base/errors.js';
import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import { asProviderCallId } from '../../../src/call/call-id.js';
import { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { ScriptedApi } from '../plivo/scripted-api.js';
import { apiKey, exchange, json, ManualClock, type Reply, refusal } from './fake-provider.js';

const name = 'voicebot-1';
const get = (client: DailyRestClient) => client.getRoom(name);

const errorOf = async (reply: Reply) => (await exchange([reply], get)).error as ProviderRequestError;

describe('the key', () => {
  test.each<[Reply]>([
    [refusal(401, 'invalid key', 'authentication-error')],
    [json({}, 401)],
    [{ status: 401, body: '<html>' }],
    [refusal(400, 'bad Authorization header format', 'authorization-header-error')],
    [refusal(403, 'invalid key', 'authentication-error')],
  ])('is refused with %j, and the setting is named', async (reply) => {
    const error = await errorOf(reply);
    expect(error).toBeInstanceOf(ProviderRequestError);
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', hint: 'check ROOMS_API_KEY' });
  });

  test('is not to blame for another 400, nor for a 403, whose hint names the setting', async () => {
    expect(await errorOf(refusal(400, 'bad Authorization'))).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED' });
    expect(await errorOf(refusal(403, 'no', 'forbidden-error'))).toMatchObject({
      code: 'VB_ROOMS_REQUEST_FAILED',
      error: 'forbidden-error',
      hint: expect.stringContaining('ROOMS_API_KEY'),
    });
  });
});

test.each<[Reply, words: string]>([
  [{ status: 200, body: '<!doctype html><title>Hello</title>' }, 'reading the room got a web page'],
  [{ status: 405, body: '\n<!doctype html><title>Hello</title>' }, 'reading the room got a web page with status 405'],
])('a web page in place of an answer is told, with the setting: %j', async (reply, words) => {
  expect(await errorOf(reply)).toMatchObject({
    code: 'VB_ROOMS_REQUEST_FAILED',
    message: expect.stringContaining(words),
    hint: "check ROOMS_API_URL: the provider's REST API does not answer so",
  });
});

test.each<[Reply, { status: number; error: string | undefined; text: string }]>([
  [
    refusal(400, 'missing exp', 'invalid-request-error'),
    { status: 400, error: 'invalid-request-error', text: 'missing exp' },
  ],
  [json({ error: 'server-error' }, 400), { status: 400, error: 'server-error', text: 'server-error' }],
  [json({ info: 'only info' }, 400), { status: 400, error: undefined, text: 'only info' }],
  [json({ error: 'Not a stable word', info: 'x' }, 400), { status: 400, error: undefined, text: 'x' }],
  [json({ error: { code: 7 }, info: ['x'] }, 400), { status: 400, error: undefined, text: '' }],
  [json({ message: 'from a proxy' }, 400), { status: 400, error: undefined, text: 'from a proxy' }],
  [
    json({ status: 422, errors: [{ detail: 'number taken', title: 'Taken', code: '1' }, { title: 'Other' }, 7] }, 422),
    { status: 422, error: undefined, text: 'number taken; Other' },
  ],
  [json({ status: 422, errors: 'text' }, 422), { status: 422, error: undefined, text: '' }],
  [
    { status: 418, body: 'plain words' },
    { status: 418, error: undefined, text: 'plain words' },
  ],
  [
    { status: 418, body: '' },
    { status: 418, error: undefined, text: '' },
  ],
  [json([1], 400), { status: 400, error: undefined, text: '[1]' }],
  [json(null, 400), { status: 400, error: undefined, text: 'null' }],
  [
    { status: 400, body: '{"info":"half', stopsShort: true },
    { status: 400, error: undefined, text: '' },
  ],
])('the refusal %j is told with its status, word and text', async (reply, expected) => {
  const error = await errorOf(reply);
  expect(error).toBeInstanceOf(VoicebotError);
  expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', mayBeDone: false, ...expected });
  expect(error.message).toContain(`reading the room got status ${expected.status}${expected.text && ': '}`);
  expect(error.message).toContain(expected.text);
});

test.each([
  ['dial-out not enabled for room. add enable_dialout property to room', /create the room with dial-out/],
  [
    'dial-out to PhoneNumber is not enabled for domain. Contact support to enable it for your domain',
    /ask the provider's support to enable dial-out to telephone numbers/,
  ],
  ["property 'enable_dialout' cannot be set to that value with your current plan", /a plan that includes it/],
  [
    'International dialout not supported. Contact sales to enable it for your domain',
    /number in the United States or Canada/,
  ],
  ['unable to start dialout (is dialout enabled? are you a room owner or participant admin?)', /token of an owner/],
  ['NOT_ALLOWED', /token of an owner/],
  ['DIALOUT_IN_PROGRESS', /goes out of this room already/],
  ['dial-out already started', /goes out of this room already/],
  ['TEMPORARILY_NOT_AVAILABLE', /try again in a moment/],
  ['room is not hosting a call', /join the room first/],
])('what to do about %j is said', async (info, hint) => {
  const error = await errorOf(refusal(400, info));
  expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', text: info, hint: expect.stringMatching(hint) });
});

test('nothing is advised where nothing is known', async () => {
  expect((await errorOf(refusal(400, 'something new'))).hint).toBeUndefined();
});

test('a long text is cut at 300 characters', async () => {
  const error = await errorOf(refusal(400, '<p>'.repeat(10_000)));
  expect(error.text).toHaveLength(300);
  expect(error.message.length).toBeLessThan(450);
});

test('numbers, addresses and tokens that the provider repeats are left out', async () => {
  const info =
    'no +12025550101 (12025550101), https://a.dev/x?body=abc wss://b.dev/y sip:ana@example.org eyJhbGciOi.eyJyIjo.c2ln';
  const error = await errorOf(refusal(400, info));
  expect(error.text).toBe('no [number] ([number]), [address] [address] [address] [redacted]');
});

describe('secrets', () => {
  const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const other = 'c29tZWJvZHkgZWxzZS9zIHNlY3JldCBvZiA/Pz8/Pz8=';
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJyIjoidm9pY2Vib3QtMSJ9.c2lnbmF0dXJlLW9mLXRva2Vu';
  const secrets = [apiKey, secret, other, token];
  const target = { phoneNumber: '+12025550100', webhookUrl: 'https://a.dev/x', secret };
  const domain = { config: { pinless_dialin: [{ phone_number: '+12025550199', hmac: other }] } };

  const acts: ReadonlyArray<(client: DailyRestClient) => Promise<unknown>> = [
    (client) => client.domain(),
    (client) => client.setLegacyDialin(target),
    (client) => client.listDialinConfigs(),
    (client) => client.createDialinConfig(target),
    (client) => client.updateDialinConfig('c-1', target),
    (client) => client.getDialinConfig('c-1'),
    (client) => client.createRoom({ name, expiresAt: 1, allowsDialout: true, idleSeconds: 1 }),
    get,
    (client) => client.createToken({ roomName: name, isOwner: true, expiresAt: 1 }),
    (client) => client.forwardCaller({ providerCallId: asProviderCallId('a'), callDomain: 'b', sipUri: 'sip:c@d' }),
  ];

  const words = fc.array(
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...secrets) }, fc.string({ maxLength: 20 })),
    {
      maxLength: 30,
    },
  );
  const text = words.chain((parts) =>
    fc.constantFrom(' ', '', '"', '/', '=', '\n').map((separator) => parts.join(separator)),
  );
  const body = fc.oneof(
    text,
    text.map((info) => JSON.stringify({ error: info, info })),
    text.map((info) => JSON.stringify({ error: 'server-error', info })),
    text.map((detail) => JSON.stringify({ status: 422, errors: [{ detail, title: detail }] })),
    text.map((value) => JSON.stringify({ error: { deep: value }, message: value })),
    text.map((value) => JSON.stringify({ id: 7, token: { value }, data: value, config: value, hmac: value })),
  );
  const status = fc.constantFrom(200, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503);
  const reply: fc.Arbitrary<Reply> = fc.oneof(
    { weight: 9, arbitrary: fc.record({ status, body }) },
    { weight: 2, arbitrary: fc.record({ status, body, stopsShort: fc.constant(true as const) }) },
    { weight: 1, arbitrary: fc.constant<Reply>('break') },
  );

  test('of ours and of others are in no error, whatever the provider says', async () => {
    let current: Reply = 'break';
    // The settings of others are readable, and every change is answered with what the provider says.
    let showsDomain = false;
    const api = await ScriptedApi.listen(({ method, url }) =>
      showsDomain && method === 'GET' && url === '/v1/' ? json(domain) : current,
    );
    const client = new DailyRestClient({ apiKey, apiUrl: api.url }, { clock: new ManualClock() });
    let failures = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...acts), reply, fc.boolean(), async (act, given, shows) => {
          current = given;
          showsDomain = shows;
          const error: unknown = await act(client).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          if (error === undefined) return;
          failures += 1;
          expect(error).toBeInstanceOf(VoicebotError);
          const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
          for (const secret of secrets) expect(shown).not.toContain(secret);
          expect((error as Error).message.length).toBeLessThan(500);
        }),
        { numRuns: 150 },
      );
    } finally {
      await client.close();
      await api[Symbol.asyncDispose]();
    }
    expect(failures).toBeGreaterThan(60);
  });

  test('are left out also when they are too short to look like one', async () => {
    const settings = { ...target, secret: 'c2hvcnQ=' };
    const { error } = await exchange([refusal(400, 'hmac c2hvcnQ= is too short')], (client) =>
      client.updateDialinConfig('c-1', settings),
    );
    expect(error).toMatchObject({ text: 'hmac [redacted] is too short' });
  });

  test('are not in a client that is shown', async () => {
    const { result } = await exchange([json({ config: {} })], async (client) => {
      await client.domain();
      return inspect(client, { depth: 10, showHidden: true });
    });
    expect(result).not.toContain(apiKey);
  });
});
