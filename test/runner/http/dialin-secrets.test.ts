import { deferred } from '../../../src/base/async/deferred.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { DialinSecret } from '../../../src/providers/rooms/room-provider.js';
import { DialinSecrets } from '../../../src/runner/http/dialin-secrets.js';

const HERE = 'https://bot.example/rooms-dialin-webhook';

function secretsOf(found: readonly DialinSecret[] | Error, addresses = [HERE]) {
  const account = { found, reads: 0 };
  const read = async () => {
    account.reads += 1;
    if (account.found instanceof Error) throw account.found;
    return account.found;
  };
  const secrets = new DialinSecrets({ own: 'own', read, addresses: () => addresses, logger: silentLogger });
  const takes = (signedWith: string) => secrets.haveSigned((secret) => secret === signedWith);
  return { account, takes };
}

test('its own secret needs no look at the account', async () => {
  const { account, takes } = secretsOf([]);
  expect(await takes('own')).toBe(true);
  expect(account.reads).toBe(0);
});

test('takes the secret that a number has whose webhook is here, and its own one all the same', async () => {
  const { account, takes } = secretsOf([
    { webhookUrl: 'https://other.example/rooms-dialin-webhook', secret: 'of another' },
    { webhookUrl: HERE, secret: 'new' },
  ]);
  expect(await takes('new')).toBe(true);
  expect([await takes('own'), await takes('new')]).toEqual([true, true]);
  expect(account.reads).toBe(1);
});

test.each([
  ['another host', 'https://other.example/rooms-dialin-webhook'],
  ['another path', 'https://bot.example/other'],
  ['another port', 'https://bot.example:8443/rooms-dialin-webhook'],
  ['without TLS', 'http://bot.example/rooms-dialin-webhook'],
  ['this machine', 'https://localhost/rooms-dialin-webhook'],
  ['no address', 'nonsense'],
])('refuses the secret of a number whose webhook is at %s', async (_title, webhookUrl) => {
  expect(await secretsOf([{ webhookUrl, secret: 'new' }]).takes('new')).toBe(false);
});

test.each(['http://127.0.0.1:7860', 'http://localhost:7860', 'http://[::1]:7860'])(
  'the webhook of a runner on this machine is here at %s too',
  async (base) => {
    const here = ['http://127.0.0.1:7860/rooms-dialin-webhook'];
    const found = (port: string) => [{ webhookUrl: `${base}${port}/rooms-dialin-webhook/`, secret: 'new' }];
    expect(await secretsOf(found(''), here).takes('new')).toBe(true);
    expect(await secretsOf(found('1'), here).takes('new')).toBe(false);
  },
);

test('forged webhooks make it read the account once in five seconds, however many they are', async () => {
  const { account, takes } = secretsOf([{ webhookUrl: HERE, secret: 'new' }]);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => takes(`forged ${at}`)));
  expect(answers).not.toContain(true);
  expect(await takes('forged again')).toBe(false);
  expect(account.reads).toBe(1);
});

test('webhooks that come while it reads wait for what it finds', async () => {
  const reading = deferred<readonly DialinSecret[]>();
  const secrets = new DialinSecrets({
    own: 'own',
    read: () => reading.promise,
    addresses: () => [HERE],
    logger: silentLogger,
  });
  const both = [1, 2].map(() => secrets.haveSigned((secret) => secret === 'new'));
  reading.resolve([{ webhookUrl: HERE, secret: 'new' }]);
  expect(await Promise.all(both)).toEqual([true, true]);
});

test('an account that cannot be read changes nothing', async () => {
  const { takes } = secretsOf(new Error('away'));
  expect(await takes('new')).toBe(false);
  expect(await takes('own')).toBe(true);
});
