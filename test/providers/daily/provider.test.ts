import { daily } from '../../../src/providers/daily/provider.js';
import { roomsApiUrl } from '../../../src/providers/registry/rooms.js';

const before = process.env.ROOMS_API_URL;
afterEach(() => {
  if (before === undefined) delete process.env.ROOMS_API_URL;
  else process.env.ROOMS_API_URL = before;
});

test("the API is where ROOMS_API_URL says, else at the provider's own address", () => {
  delete process.env.ROOMS_API_URL;
  expect(roomsApiUrl(daily)).toBe('https://api.daily.co/v1');
  process.env.ROOMS_API_URL = '';
  expect(roomsApiUrl(daily)).toBe('https://api.daily.co/v1');
  process.env.ROOMS_API_URL = 'http://127.0.0.1:7000/v1';
  expect(roomsApiUrl(daily)).toBe('http://127.0.0.1:7000/v1');
});

test('a client needs a key, and says which setting is missing', async () => {
  const making = daily.createRestClient({ apiKey: '', apiUrl: daily.defaultApiUrl });
  await expect(making).rejects.toMatchObject({ code: 'VB_CREDENTIALS_MISSING', hint: 'set ROOMS_API_KEY' });
});

test.each(['key with blanks', 'key\n', '"key"', 'kéy', 'key\r\nX-Other: 1'])(
  'a client does not take the key %j, and does not show it',
  async (apiKey) => {
    const making = daily.createRestClient({ apiKey, apiUrl: daily.defaultApiUrl });
    const error = await making.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'VB_CONFIG_INVALID', hint: expect.stringContaining('ROOMS_API_KEY') });
    expect((error as Error).message).not.toContain(apiKey);
  },
);

test.each(['', 'api.daily.co/v1', 'ftp://a.dev', 'https://'])(
  'a client does not take the address %j',
  async (apiUrl) => {
    await expect(daily.createRestClient({ apiKey: 'key', apiUrl })).rejects.toMatchObject({
      code: 'VB_CONFIG_INVALID',
      hint: 'check ROOMS_API_URL',
    });
  },
);

test('a client that never asked for anything can be closed', async () => {
  const client = await daily.createRestClient({ apiKey: 'key', apiUrl: daily.defaultApiUrl });
  await client.close();
});
