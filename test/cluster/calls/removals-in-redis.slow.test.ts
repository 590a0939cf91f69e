import { silentLogger } from '../../../src/base/logger.js';
import { RemovalsInRedis } from '../../../src/cluster/calls/removals-in-redis.js';
import { until } from '../../e2e/processes.js';
import { FakeMembers } from '../fake-members.js';
import { LinkedRedis } from '../linked-redis.js';
import { describeWithRedis } from '../redis-server.js';

const PATIENCE_MS = 20_000;
jest.setTimeout(90_000);

/** A runner, with the calls that others have told it. */
async function join(redis: LinkedRedis, id: string, keptDays = 7) {
  const link = await redis.link();
  const heard: string[] = [];
  const cluster = { redis: link, members: new FakeMembers(id) };
  const removals = new RemovalsInRedis({
    cluster,
    keptDays,
    removed: (ids) => void heard.push(...ids),
    logger: silentLogger,
  });
  redis.onClose(() => removals.close());
  const hears = (...ids: string[]) =>
    until(() => ids.every((one) => heard.includes(one)), `${id} hears of ${ids}`, PATIENCE_MS);
  return { link, removals, heard, hears };
}

describeWithRedis('calls whose recordings are removed', () => {
  test('every other runner is told once, one that comes later before it goes on', async () => {
    await using redis = await LinkedRedis.start();
    const [a, b] = [await join(redis, 'a'), await join(redis, 'b')];
    await Promise.all([a.removals.heard, b.removals.heard]);
    a.removals.tell(['call-1', 'leg-1']);
    a.removals.tell(['call-1']);
    await b.hears('call-1', 'leg-1');
    b.removals.tell(['call-1', 'call-2']);
    await a.hears('call-2');
    const late = await join(redis, 'late');
    await late.removals.heard;
    expect(late.heard.toSorted()).toEqual(['call-1', 'call-2', 'leg-1']);
    expect([a.heard, b.heard]).toEqual([['call-2'], ['call-1', 'leg-1']]);
  });

  test('more than are asked for at once', async () => {
    await using redis = await LinkedRedis.start();
    const [a, b] = [await join(redis, 'a'), await join(redis, 'b')];
    const ids = Array.from({ length: 1_234 }, (_, n) => `call-${n}`);
    a.removals.tell(ids);
    await b.hears(...ids);
    expect(b.heard).toHaveLength(ids.length);
  });

  test('what is removed while Redis is away is told when it is back', async () => {
    await using redis = await LinkedRedis.start();
    const [a, b] = [await join(redis, 'a'), await join(redis, 'b')];
    a.removals.tell(['call-1']);
    await b.hears('call-1');
    await redis.stop();
    a.removals.tell(['call-2']);
    await redis.start();
    await b.hears('call-2');
    expect(b.heard).toEqual(['call-1', 'call-2']);
  });

  test('a Redis that comes back empty, or was emptied as it ran, is told again by all that know', async () => {
    await using redis = await LinkedRedis.start();
    const [a, b] = [await join(redis, 'a'), await join(redis, 'b')];
    a.removals.tell(['call-1']);
    b.removals.tell(['call-2']);
    await Promise.all([a.hears('call-2'), b.hears('call-1')]);
    await redis.restart({ keeps: false });
    const late = await join(redis, 'late');
    await late.hears('call-1', 'call-2');
    await a.link.run((client) => client.flushall());
    const later = await join(redis, 'later');
    await later.hears('call-1', 'call-2');
    expect([a.heard, b.heard]).toEqual([['call-2'], ['call-1']]);
  });

  test.each([
    [7, 400],
    [1_000, 1_001],
    [0, 3_650],
  ])('where folders are kept for %d days it is remembered for %d, and then forgotten', async (keptDays, days) => {
    await using redis = await LinkedRedis.start();
    const a = await join(redis, 'a', keptDays);
    a.removals.tell(['call-1']);
    const until_ = a.link.key('removed', 'until');
    await until(async () => (await a.link.run((client) => client.zcard(until_))) > 0, 'it is told', PATIENCE_MS);
    const untilMs = Number(await a.link.run((client) => client.zscore(until_, 'call-1')));
    expect(Math.abs(untilMs - Date.now() - days * 24 * 3_600_000)).toBeLessThan(60_000);
    await a.link.run((client) => client.zadd(until_, 1, 'call-1'));
    a.removals.tell(['call-2']);
    await until(
      async () => (await a.link.run((client) => client.zscore(until_, 'call-1'))) === null,
      'it is forgotten',
    );
    const late = await join(redis, 'late');
    await late.removals.heard;
    expect(late.heard).toEqual(['call-2']);
  });

  test('a runner that leaves tells what it could not tell before', async () => {
    await using redis = await LinkedRedis.start();
    const [a, b] = [await join(redis, 'a'), await join(redis, 'b')];
    await a.removals.heard;
    a.removals.tell(['call-1']);
    await a.removals.close();
    await b.hears('call-1');
  });
});
