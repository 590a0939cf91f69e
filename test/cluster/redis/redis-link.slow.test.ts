import { once } from 'node:events';
import { silentLogger } from '../../../src/base/logger.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const linkTo = (url: string) => RedisLink.connect({ url, name: 'test', logger: silentLogger });

/** Nothing else happens in this process for as long. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describeWithRedis('the link to Redis', () => {
  test('runs commands and scripts', async () => {
    await using server = await RedisServer.start();
    const link = await linkTo(server.url);
    await link.run((redis) => redis.set(link.key('a'), '1'));
    expect(await link.script('return redis.call("GET", KEYS[1]) * ARGV[1]', [link.key('a')], [2])).toBe(2);
    expect(await link.script('return redis.call("GET", KEYS[1]) + ARGV[1]', [link.key('a')], [2])).toBe(3);
    link.close();
  });

  test('fails at once while Redis is away, and is there again when Redis is', async () => {
    await using server = await RedisServer.start();
    const link = await linkTo(server.url);
    const down = once(link, 'down');
    await server.stop();
    await down;
    await expect(link.run((redis) => redis.ping())).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    const up = once(link, 'up');
    await server.start();
    await up;
    expect(await link.run((redis) => redis.ping())).toBe('PONG');
    link.close();
  });

  test('a Redis that stands still counts as away until it answers', async () => {
    await using server = await RedisServer.start();
    const link = await linkTo(server.url);
    server.freeze();
    await expect(link.run((redis) => redis.ping())).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    expect(link.isUp).toBe(false);
    const up = once(link, 'up');
    server.thaw();
    await up;
    expect(await link.run((redis) => redis.ping())).toBe('PONG');
    link.close();
  });

  test('Redis does not count as away when it was this process that stood still', async () => {
    await using server = await RedisServer.start();
    const link = await linkTo(server.url);
    const first = link.run((redis) => redis.ping());
    standStill(1_500);
    await expect(first).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    expect(link.isUp).toBe(true);
    expect(await link.run((redis) => redis.ping())).toBe('PONG');
    link.close();
  });

  test.each([
    ['nobody is there', () => 'redis://127.0.0.1:1', 'ECONNREFUSED'],
    [
      'the password is wrong',
      ({ port }: RedisServer) => `redis://:wrong-one@127.0.0.1:${port}`,
      'refuses the password',
    ],
    ['TLS is asked for in vain', ({ port }: RedisServer) => `rediss://:right@127.0.0.1:${port}`, ''],
  ])('says why when %s, and nothing of the password', async (_why, urlOf, words) => {
    await using server = await RedisServer.start('--requirepass', 'right');
    const error = await linkTo(urlOf(server)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE', message: expect.stringContaining(words) });
    expect(String(error)).not.toMatch(/wrong-one|right@/);
  });
});
