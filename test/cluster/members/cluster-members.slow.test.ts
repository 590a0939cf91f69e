import { once } from 'node:events';
import {
  ClusterMembers,
  LEASE_MS,
  type MemberInfo,
  type MemberLoad,
} from '../../../src/cluster/members/cluster-members.js';
import { until } from '../../e2e/processes.js';
import { LinkedRedis } from '../linked-redis.js';
import { describeWithRedis } from '../redis-server.js';

const LOAD: MemberLoad = { calls: 0, warm: 1, lateMs: 0, isDraining: false };

/** The runners of a cluster, none of which has joined yet. */
async function membersOn(redis: LinkedRedis, count: number, version = '1.0.0'): Promise<ClusterMembers[]> {
  const made: ClusterMembers[] = [];
  for (let no = 0; no < count; no += 1) {
    const members = new ClusterMembers({ redis: await redis.link(), version });
    redis.onClose(() => members.leave());
    made.push(members);
  }
  return made;
}

let port = 7_000;
const at = (more: Partial<MemberInfo> = {}) => {
  port += 1;
  return { peerUrl: `http://127.0.0.1:${port}`, ...more };
};

async function joined(redis: LinkedRedis, count: number): Promise<ClusterMembers[]> {
  const all = await membersOn(redis, count);
  await Promise.all(all.map((one) => one.join(at(), () => LOAD)));
  await until(() => all.every(({ others }) => others.length === count - 1), 'they know each other');
  return all;
}

describeWithRedis('the runners of a cluster', () => {
  test('know each other with what they say of themselves, and see who leaves at once', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = (await membersOn(redis, 2)) as [ClusterMembers, ClusterMembers];
    expect(first.own).toBeUndefined();
    await first.join(at(), () => LOAD);
    const hears = once(first, 'joined');
    await second.join(at({ advertise: 'wss://two.example.com' }), () => ({ ...LOAD, calls: 7 }));
    expect(await hears).toEqual([second.ownId]);
    expect(first.others).toMatchObject([{ advertise: 'wss://two.example.com', calls: 7, pid: process.pid }]);
    expect(first.isAlive(second.ownId)).toBe(true);

    const startedAt = performance.now();
    const left = once(first, 'left');
    await second.leave();
    expect(await left).toEqual([second.ownId]);
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
    expect(first.isAlive(second.ownId)).toBe(false);
    expect(first.get(second.ownId)?.peerUrl).toBe(`http://127.0.0.1:${port}`);
    await second.leave();
  });

  test('one that is found before it was heard of is asked for', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = (await membersOn(redis, 2)) as [ClusterMembers, ClusterMembers];
    await first.join(at(), () => LOAD);
    await second.join(at(), () => LOAD);
    expect((await first.find(second.ownId))?.id).toBe(second.ownId);
    expect(await first.find('nobody')).toBeUndefined();
  });

  test('one that is not heard of has left when its lease has run out, and is told that it had lapsed', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = (await joined(redis, 2)) as [ClusterMembers, ClusterMembers];
    const lapses = jest.fn();
    second.on('lapsed', lapses);
    const [, link] = redis.links;
    const stands = jest.spyOn(link as never, 'script').mockRejectedValue(new Error('stands still') as never);
    expect(await once(first, 'left')).toEqual([second.ownId]);
    const lapsed = once(second, 'lapsed');
    const back = once(first, 'joined');
    stands.mockRestore();
    await lapsed;
    expect(await back).toEqual([second.ownId]);
    expect(lapses).toHaveBeenCalledTimes(1);
  });

  test('nobody leaves while Redis is away, nor when it comes back with nothing in it', async () => {
    await using redis = await LinkedRedis.start();
    const all = await joined(redis, 3);
    const [left, lapsed] = [jest.fn(), jest.fn()];
    for (const one of all) one.on('left', left).on('lapsed', lapsed);
    await redis.stop({ keeps: false });
    const stoppedAt = performance.now();
    await until(() => performance.now() - stoppedAt > LEASE_MS + 500, 'leases would have run out');
    expect(all.every(({ others, ownId }) => others.length === 2 && all[0]?.isAlive(ownId))).toBe(true);
    await redis.start();
    const probe = (await membersOn(redis, 1))[0] as ClusterMembers;
    await probe.join(at(), () => LOAD);
    await until(() => probe.others.length === 3, 'Redis knows all of them again');
    expect(left).not.toHaveBeenCalled();
    expect(lapsed).not.toHaveBeenCalled();
  });

  test('who is gone for good after Redis was away has left once the others had time to come back', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = (await joined(redis, 2)) as [ClusterMembers, ClusterMembers];
    await redis.stop();
    await second.leave();
    const left = once(first, 'left');
    await redis.start();
    expect(await left).toEqual([second.ownId]);
  });

  test('another version of voicebot is refused at once, with both named', async () => {
    await using redis = await LinkedRedis.start();
    await joined(redis, 1);
    const [newer] = (await membersOn(redis, 1, '2.0.0')) as [ClusterMembers];
    await expect(newer.join(at(), () => LOAD)).rejects.toMatchObject({
      code: 'VB_CLUSTER_UNSUITABLE',
      message: expect.stringMatching(/1\.0\.0.*2\.0\.0/),
    });
    expect(newer.own).toBeUndefined();
  });

  test('a runner joins those of the version before, whose place it takes', async () => {
    await using redis = await LinkedRedis.start();
    const [older] = (await membersOn(redis, 1, '0.1.0')) as [ClusterMembers];
    await older.join(at(), () => LOAD);
    const [newer] = (await membersOn(redis, 1, '1.0.0-rc.1')) as [ClusterMembers];
    await newer.join(at(), () => LOAD);
    expect(newer.others.map(({ version }) => version)).toEqual(['0.1.0']);
  });

  test('another public address is refused, with both named; the same may join', async () => {
    await using redis = await LinkedRedis.start();
    const [first, foreign, fellow] = (await membersOn(redis, 3)) as [ClusterMembers, ClusterMembers, ClusterMembers];
    const publicUrl = 'https://bot.example.com';
    await first.join(at({ publicUrl }), () => LOAD);
    await expect(foreign.join(at({ publicUrl: 'https://laptop.example.com' }), () => LOAD)).rejects.toMatchObject({
      code: 'VB_CLUSTER_UNSUITABLE',
      message: expect.stringMatching(/https:\/\/bot\.example\.com.*https:\/\/laptop\.example\.com/),
      hint: expect.stringContaining('--public-url'),
    });
    expect(foreign.own).toBeUndefined();
    await fellow.join(at({ publicUrl }), () => LOAD);
  });

  test.each([
    ['for its fellows', { peerUrl: 'http://127.0.0.1:7860' }, { peerUrl: 'http://127.0.0.1:7860' }],
    [
      'for the carrier',
      { peerUrl: 'http://127.0.0.1:1', advertise: 'wss://one.example.com' },
      { peerUrl: 'http://127.0.0.1:2', advertise: 'wss://one.example.com' },
    ],
  ])('two with one address %s: the second is refused, and told whose it is', async (_for, one, two) => {
    await using redis = await LinkedRedis.start();
    const [first, second] = (await membersOn(redis, 2)) as [ClusterMembers, ClusterMembers];
    await first.join(one, () => LOAD);
    await expect(second.join(two, () => LOAD)).rejects.toMatchObject({
      code: 'VB_CLUSTER_UNSUITABLE',
      message: expect.stringContaining(`process ${process.pid}`),
      hint: expect.stringContaining('--advertise'),
    });
  });

  test('of several with one address that start at once exactly one joins', async () => {
    await using redis = await LinkedRedis.start();
    const all = await membersOn(redis, 5);
    const twin = { peerUrl: 'http://127.0.0.1:7860', advertise: 'wss://one.example.com' };
    const results = await Promise.allSettled(all.map((one) => one.join(twin, () => LOAD)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(all.filter(({ own }) => own)).toHaveLength(1);
  });

  test('one that takes the place of one that was killed waits for the end of its lease', async () => {
    await using redis = await LinkedRedis.start();
    const [killed, next] = (await membersOn(redis, 2)) as [ClusterMembers, ClusterMembers];
    const address = at();
    await killed.join(address, () => LOAD);
    jest.spyOn(redis.links[0] as never, 'script').mockRejectedValue(new Error('dead') as never);
    await next.join(address, () => LOAD);
    expect(next.own?.peerUrl).toBe(address.peerUrl);
  });

  test('one that only its own machine reaches is refused when the others are on another', async () => {
    await using redis = await LinkedRedis.start();
    const [own] = (await membersOn(redis, 1)) as [ClusterMembers];
    const elsewhere = new ClusterMembers({ redis: await redis.link(), version: '1.0.0', machine: 'another-machine' });
    redis.onClose(() => elsewhere.leave());
    await elsewhere.join(at({ peerUrl: 'http://10.0.0.7:7860' }), () => LOAD);
    await expect(own.join(at(), () => LOAD)).rejects.toMatchObject({
      code: 'VB_CLUSTER_UNSUITABLE',
      message: expect.stringContaining('another-machine'),
      hint: expect.stringContaining('--host'),
    });
  });
});
