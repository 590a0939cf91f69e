import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, accountOf } from '../../src/assembly/account.js';
import { assertNotPubliclyTrusted, checkPublicSide } from '../../src/assembly/public-side.js';
import { resolveConfig } from '../../src/config/config.js';
import type { Environment } from '../../src/config/environment.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** What answers `/health` without a token at a public address. */
async function health(status: number): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a public address', () => {
  test('whose callers pass for programs on this machine is refused, with the setting that mends it', async () => {
    const refused = assertNotPubliclyTrusted(`http://bot.localhost:${await health(200)}`);
    await expect(refused).rejects.toMatchObject({
      code: 'VB_CONFIG_INVALID',
      hint: expect.stringContaining('VOICEBOT_TRUSTED_PROXIES'),
    });
  });

  test.each([404, 401, 502])('that answers strangers with %i is taken', async (status) => {
    await expect(assertNotPubliclyTrusted(`http://bot.localhost:${await health(status)}`)).resolves.toBeUndefined();
  });

  test('that is this machine itself is taken', async () => {
    await expect(assertNotPubliclyTrusted(`http://127.0.0.1:${await health(200)}`)).resolves.toBeUndefined();
  });
});

async function check(environment: Environment): Promise<void> {
  const credentials = { CARRIER_AUTH_ID: 'MA000', CARRIER_AUTH_TOKEN: 'token' };
  const config = await resolveConfig({ flags: {}, environment: { ...credentials, ...environment }, directory: '/' });
  checkPublicSide(config, accountOf(config, 'carrier') as Account);
}

test.each([
  ['no way in at all', { VOICEBOT_TUNNEL: 'none' }, 'needs an address'],
  ['a tunnel to a machine that listens elsewhere', { VOICEBOT_HOST: '192.0.2.1' }, 'listens on 192.0.2.1 only'],
  ['an address of this machine', { VOICEBOT_PUBLIC_URL: 'http://127.0.0.1:8080' }, 'which the provider cannot reach'],
])('%s is refused before anything is opened', async (_what, environment, words) => {
  await expect(check(environment)).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining(words),
    hint: expect.stringContaining('--public-url'),
  });
});

test.each([
  ['the default', {}],
  ['a server that listens everywhere', { VOICEBOT_HOST: '0.0.0.0' }],
  ['an address of one’s own', { VOICEBOT_PUBLIC_URL: 'https://bot.example.com', VOICEBOT_HOST: '192.0.2.1' }],
  [
    'a stand-in for the provider on this machine',
    { VOICEBOT_PUBLIC_URL: 'http://127.0.0.1:8080', CARRIER_API_URL: 'http://127.0.0.1:9/v1' },
  ],
])('%s is taken', async (_what, environment) => {
  await expect(check(environment)).resolves.toBeUndefined();
});
