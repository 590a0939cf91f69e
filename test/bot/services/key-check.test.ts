import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askForKey } from '../../../src/bot/services/key-check.js';
import { VENDORS, type VendorName } from '../../../src/bot/services/vendor.js';

const KEY = 'the-key-of-the-account';

let server: Server;
let asked: Array<{ method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }>;
let answer: { status: number; body?: string };
beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: '{}' };
  server = createServer(({ method, url, headers }, response) => {
    asked.push({ method, url, headers });
    response.writeHead(answer.status, { location: 'http://127.0.0.1:9/' }).end(answer.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => server.close().closeAllConnections());

const ask = (name: VendorName, apiKey = KEY, baseUrl = `http://127.0.0.1:${portOf(server)}/base`) =>
  askForKey(name, { apiKey, baseUrl }, AbortSignal.timeout(20_000));

test.each([
  ['deepgram', '/v1/auth/token', { authorization: `Token ${KEY}` }],
  ['cartesia', '/voices?limit=1', { 'x-api-key': KEY, 'cartesia-version': expect.any(String) }],
  ['elevenlabs', '/v1/models', { 'xi-api-key': KEY }],
  ['openai', '/models', { authorization: `Bearer ${KEY}` }],
  ['anthropic', '/models?limit=1', { 'x-api-key': KEY, 'anthropic-version': expect.any(String) }],
  ['google', '/models?pageSize=1', { 'x-goog-api-key': KEY }],
] as const)('asks %s one thing that changes nothing', async (name, path, headers) => {
  expect(await ask(name)).toBe('taken');
  expect(asked).toEqual([{ method: 'GET', url: `/base${path}`, headers: expect.objectContaining(headers) }]);
});

test.each([
  ['openai', 401, '{"error":{"message":"Incorrect API key provided: the-key-of-the-account."}}'],
  ['elevenlabs', 401, '{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}'],
  ['google', 400, '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}'],
  ['deepgram', 401, ''],
  ['cartesia', 403, 'Forbidden'],
] as const)(
  '%s refuses the key with %i: the error names the variable, and never the key',
  async (name, status, body) => {
    answer = { status, body };
    const { keyVariable } = VENDORS[name];
    const error = await ask(name).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', hint: expect.stringContaining(keyVariable) });
    expect((error as Error).message).not.toContain(KEY);
  },
);

test.each([
  [
    'openai',
    403,
    '{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: api.model.read"}}',
  ],
  ['elevenlabs', 401, '{"detail":{"message":"The API key you used is missing the permission models_read"}}'],
] as const)('%s knows a key that may not do everything', async (name, status, body) => {
  answer = { status, body };
  expect(await ask(name)).toBe('restricted');
});

test.each([
  [429, 'has reached a limit'],
  [404, undefined],
  [500, undefined],
  [302, undefined],
])('an answer of %i says nothing of the key', async (status, hint) => {
  answer = { status };
  await expect(ask('openai')).rejects.toMatchObject({
    code: 'VB_PROVIDER_FAILED',
    ...(hint && { hint: expect.stringContaining(hint) }),
  });
  expect(asked).toHaveLength(1); // a redirect would take the key somewhere else
});

test.each(['the-key\nof-the-account', 'ключ'])(
  'a key that no header can carry is refused, and not shown: %j',
  async (key) => {
    const error = await ask('openai', key).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', hint: expect.stringContaining('OPENAI_API_KEY') });
    expect((error as Error).message).not.toContain(key);
  },
);

test('a provider that is not there', async () => {
  await expect(ask('openai', KEY, 'http://127.0.0.1:9')).rejects.toMatchObject({
    code: 'VB_PROVIDER_FAILED',
    message: expect.stringContaining('OpenAI'),
  });
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
