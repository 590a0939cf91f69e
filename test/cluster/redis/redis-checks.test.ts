import { silentLogger } from '../../../src/base/logger.js';
import { checkRedis } from '../../../src/cluster/redis/redis-checks.js';
import { LinkedRedis } from '../linked-redis.js';
import { describeWithRedis } from '../redis-server.js';

/** What a check of this Redis comes to. */
async function check(redis: LinkedRedis, now?: () => number) {
  const warn = jest.fn();
  const link = redis.links[0] ?? (await redis.link());
  const problem = await checkRedis(link, { ...silentLogger, warn }, now).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { problem, warn };
}

const unsuitable = (words: string | RegExp) => ({
  code: 'VB_CLUSTER_UNSUITABLE',
  message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
});

describeWithRedis('what the Redis of a cluster must be', () => {
  test('one that keeps what it is told, with a clock like ours, is as it should be', async () => {
    await using redis = await LinkedRedis.start();
    const { problem, warn } = await check(redis);
    expect(problem).toBeUndefined();
    expect(warn).not.toHaveBeenCalled();
  });

  test('one that throws keys away is refused, and one that would if it had a limit is not', async () => {
    await using limited = await LinkedRedis.start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    expect((await check(limited)).problem).toMatchObject(unsuitable('maxmemory-policy allkeys-lru'));
    await using unlimited = await LinkedRedis.start('--maxmemory-policy', 'allkeys-lru');
    expect((await check(unlimited)).problem).toBeUndefined();
    await using kept = await LinkedRedis.start('--maxmemory', '100mb', '--maxmemory-policy', 'noeviction');
    expect((await check(kept)).problem).toBeUndefined();
  });

  test('one that writes nothing down is warned of', async () => {
    await using redis = await LinkedRedis.start('--appendonly', 'no');
    const { problem, warn } = await check(redis);
    expect(problem).toBeUndefined();
    expect(warn.mock.calls[0]?.[1]).toMatchObject({ hint: expect.stringContaining('appendonly') });
  });

  test.each([
    ['3 s behind', -3_000, /clock of this machine is (3|2\.9)\S* s behind/],
    ['3 s ahead', 3_000, /clock of this machine is (3|2\.9)\S* s ahead of/],
  ])('a machine whose clock is %s is refused', async (_how, byMs, words) => {
    await using redis = await LinkedRedis.start();
    expect((await check(redis, () => Date.now() + byMs)).problem).toMatchObject(unsuitable(words));
    expect((await check(redis, () => Date.now() + byMs / 2)).problem).toBeUndefined();
  });

  test('all that is wrong is said at once: too old, throws keys away, a replica', async () => {
    await using redis = await LinkedRedis.start();
    const link = await redis.link();
    const info = 'redis_version:6.0.16\r\nmaxmemory:100\r\nmaxmemory_policy:volatile-lru\r\nrole:slave\r\n';
    jest.spyOn(link, 'run').mockImplementationOnce(async () => info as never);
    const { problem } = await check(redis);
    for (const words of ['Redis 6.0.16 is too old', 'volatile-lru', 'replica']) {
      expect(problem).toMatchObject(unsuitable(words));
    }
  });

  test.each(['6.2.0', '6.10.1', '7.0.15', '8.0.0'])('version %s is new enough', async (version) => {
    await using redis = await LinkedRedis.start();
    const link = await redis.link();
    jest
      .spyOn(link, 'run')
      .mockImplementationOnce(async () => `redis_version:${version}\r\naof_enabled:1\r\n` as never);
    expect((await check(redis)).problem).toBeUndefined();
  });

  test('a replica is refused as that', async () => {
    await using primary = await LinkedRedis.start();
    await using replica = await LinkedRedis.start('--replicaof', `127.0.0.1 ${primary.server.port}`);
    expect((await check(replica)).problem).toMatchObject(unsuitable('replica'));
  });

  test('a user who may not ask is told what Redis has said', async () => {
    await using redis = await LinkedRedis.start();
    const link = await redis.link();
    await link.run((client) => client.acl('SETUSER', 'default', '-info'));
    expect((await check(redis)).problem).toMatchObject(unsuitable('NOPERM'));
  });
});
