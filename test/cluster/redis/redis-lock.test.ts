import { deferred } from '../../../src/base/async/deferred.js';
import { silentLogger } from '../../../src/base/logger.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { type RedisLockOptions, withRedisLock } from '../../../src/cluster/redis/redis-lock.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const HELD = new Error('held by another');
const OPTIONS: RedisLockOptions = { limitMs: 5_000, expiresMs: 5_000, onHeld: () => HELD };

describeWithRedis('a lock in Redis', () => {
  let server: RedisServer;
  let links: RedisLink[];
  beforeEach(async () => {
    server = await RedisServer.start();
    const link = () => RedisLink.connect({ url: server.url, name: 'test', logger: silentLogger });
    links = [await link(), await link()];
  });
  afterEach(async () => {
    for (const link of links) link.close();
    await server[Symbol.asyncDispose]();
  });
  const lock = <T>(which: number, act: (signal: AbortSignal) => Promise<T>, options: Partial<RedisLockOptions> = {}) =>
    withRedisLock(links[which] as RedisLink, '{test}:lock', { ...OPTIONS, ...options }, act);
  const keys = () => links[0]?.run((redis) => redis.keys('*'));

  test('is held by one at a time, also in one process, and leaves nothing behind', async () => {
    let inside = 0;
    const once = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all([lock(0, once), lock(0, once), lock(1, once), lock(1, once)]);
    expect(await keys()).toEqual([]);
  });

  test('is free again after a failure, which is thrown', async () => {
    await expect(lock(0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await lock(1, async () => 'mine', { limitMs: 0 })).toBe('mine');
  });

  test('is waited for no longer than wanted, and not at all once it is given up', async () => {
    const end = deferred();
    const first = lock(0, () => end.promise);
    await until(async () => (await keys())?.length === 1, 'it is held');
    await expect(lock(1, async () => {}, { limitMs: 0 })).rejects.toBe(HELD);
    const reason = new Error('no time left');
    await expect(lock(1, async () => {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    end.resolve();
    await first;
  });

  test('is renewed for as long as it is held', async () => {
    const end = deferred();
    const first = lock(0, () => end.promise, { expiresMs: 300 });
    await until(async () => (await keys())?.length === 1, 'it is held');
    await expect(lock(1, async () => {}, { limitMs: 700 })).rejects.toBe(HELD);
    end.resolve();
    await first;
  });

  test('that was lost is told to whoever held it, who does not remove that of the next', async () => {
    const first = lock(
      0,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      {
        expiresMs: 300,
      },
    );
    await until(async () => (await keys())?.length === 1, 'it is held');
    await links[1]?.run((redis) => redis.set('{test}:lock', 'of another'));
    await expect(first).rejects.toBe(HELD);
    expect(await links[1]?.run((redis) => redis.get('{test}:lock'))).toBe('of another');
  });

  test('is lost while Redis is away for longer than it lasts', async () => {
    const first = lock(
      0,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      {
        expiresMs: 300,
      },
    );
    await until(async () => (await keys())?.length === 1, 'it is held');
    await server.stop();
    await expect(first).rejects.toBe(HELD);
    await expect(lock(1, async () => {})).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
  });
});
