import { SharedSecrets } from '../../../src/cluster/members/shared-secrets.js';
import { until } from '../../e2e/processes.js';
import { LinkedRedis } from '../linked-redis.js';
import { describeWithRedis } from '../redis-server.js';

async function openedOn(redis: LinkedRedis, count: number): Promise<SharedSecrets[]> {
  const links = [];
  for (let no = 0; no < count; no += 1) links.push(await redis.link());
  const all = await Promise.all(links.map((link) => SharedSecrets.open(link)));
  for (const one of all) redis.onClose(() => one.close());
  return all;
}

/** What Redis has, and a way to have it otherwise. */
async function stored(redis: LinkedRedis) {
  const [link] = redis.links;
  const text = await link?.run((client) => client.get(link.key('secrets')));
  return {
    value: JSON.parse(text ?? 'null') as { keys: Array<{ id: string; madeAt: number }>; token: string } | null,
    change: (value: object) => link?.run((client) => client.set(link.key('secrets'), JSON.stringify(value))),
  };
}

const keyOf = (signature: string) => signature.split('.')[0];

describeWithRedis('what the runners of a cluster know', () => {
  test('ten that start at once have the same secrets, and each verifies what another signs', async () => {
    await using redis = await LinkedRedis.start();
    const all = await openedOn(redis, 10);
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(new Set(all.map(({ webhookSecret }) => webhookSecret)).size).toBe(1);
    for (const one of all) {
      const signature = one.sign('a text');
      expect(all.every((other) => other.verifies('a text', signature))).toBe(true);
      expect(all.some((other) => other.verifies('another text', signature))).toBe(false);
    }
  });

  test.each(['', 'x', '.', '0000.abc', '00000000.AAAAAAAAAAAAAAAAAAAAAA'])('"%s" is no signature', async (forged) => {
    await using redis = await LinkedRedis.start();
    const [one] = (await openedOn(redis, 1)) as [SharedSecrets];
    expect(one.verifies('a text', forged)).toBe(false);
    const [id, hmac = ''] = one.sign('a text').split('.');
    expect(one.verifies('a text', `${id}.${hmac.slice(0, -1)}`)).toBe(false);
    expect(one.verifies('a text', `${id}.${hmac}A`)).toBe(false);
  });

  test('a key that is a day old is replaced by one, whoever notices; it still verifies, and the new one signs once all have it', async () => {
    await using redis = await LinkedRedis.start();
    const [one, two] = (await openedOn(redis, 2)) as [SharedSecrets, SharedSecrets];
    const old = one.sign('a text');
    const before = await stored(redis);
    const aged = before.value?.keys.map((key) => ({ ...key, madeAt: key.madeAt - 25 * 60 * 60 * 1_000 }));
    await before.change({ ...before.value, keys: aged });
    await until(async () => (await stored(redis)).value?.keys.length === 2, 'a new key is there');
    const [newest, oldest] = (await stored(redis)).value?.keys ?? [];
    expect(oldest?.id).toBe(keyOf(old));
    // Another runner may not know the new one yet.
    expect(keyOf(one.sign('a text'))).toBe(keyOf(old));
    expect(two.verifies('a text', old)).toBe(true);
    expect((await stored(redis)).value?.token).toBe(one.token);

    const later = await stored(redis);
    const rested = later.value?.keys.map((key) => ({ ...key, madeAt: key.madeAt - 11_000 }));
    await later.change({ ...later.value, keys: rested });
    await until(() => keyOf(one.sign('a text')) === newest?.id, 'the new key signs');
    await until(() => two.verifies('a text', one.sign('a text')), 'all know the new key');
    expect(two.verifies('a text', old)).toBe(true);
  });

  test('no more than three keys verify', async () => {
    await using redis = await LinkedRedis.start();
    const [one] = (await openedOn(redis, 1)) as [SharedSecrets];
    const first = one.sign('a text');
    for (let days = 1; days <= 3; days += 1) {
      const now = await stored(redis);
      const aged = now.value?.keys.map((key) => ({ ...key, madeAt: key.madeAt - 25 * 60 * 60 * 1_000 }));
      await now.change({ ...now.value, keys: aged });
      const newest = now.value?.keys[0]?.id;
      await until(async () => (await stored(redis)).value?.keys[0]?.id !== newest, 'a new key is there');
    }
    expect((await stored(redis)).value?.keys).toHaveLength(3);
    await until(() => !one.verifies('a text', first), 'the first one has expired');
  });

  test('a Redis that has forgotten them gets them back, and those who come then have the same', async () => {
    await using redis = await LinkedRedis.start();
    const [one, two] = (await openedOn(redis, 2)) as [SharedSecrets, SharedSecrets];
    const { token, webhookSecret } = one;
    const signature = one.sign('a text');
    await redis.stop({ keeps: false });
    expect(two.verifies('a text', signature)).toBe(true);
    await redis.start();
    await until(async () => (await stored(redis)).value?.token === token, 'they are there again');
    const [third] = (await openedOn(redis, 1)) as [SharedSecrets];
    expect([third.token, third.webhookSecret]).toEqual([token, webhookSecret]);
    expect(third.verifies('a text', signature)).toBe(true);
  });

  test('one that starts with an empty Redis before the others are back does not replace what they have', async () => {
    await using redis = await LinkedRedis.start();
    const [one] = (await openedOn(redis, 1)) as [SharedSecrets];
    const { token } = one;
    const signature = one.sign('a text');
    await redis.links[0]?.run((client) => client.flushall());
    const [newer] = (await openedOn(redis, 1)) as [SharedSecrets];
    await until(() => newer.token === token, 'the older ones are there again');
    expect(one.token).toBe(token);
    expect(newer.verifies('a text', signature)).toBe(true);
  });
});
