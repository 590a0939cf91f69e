import { once } from 'node:events';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { restoreLeases, restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis } from '../redis-server.js';
import { ClusterRig, type Holder } from './cluster-rig.js';
import { NUMBER, urlsOf } from './provider-access.js';

const AWAY = { code: 'VB_CLUSTER_UNREACHABLE' };
const CLUSTER = urlsOf('plivo', 'cluster').answerUrl;

/** Redis forgets all, and nobody is told. */
const empty = ({ redis }: Holder) => redis.run((client) => client.flushall());

/** Resolves when this run knows that it is away. */
async function stopRedis({ server }: ClusterRig, { redis }: Holder): Promise<void> {
  const down = once(redis, 'down');
  await server.stop();
  await down;
}

describeWithRedis('while Redis is away', () => {
  test('no number is taken, and nothing is changed at the provider', async () => {
    await using rig = await ClusterRig.open();
    const a = await rig.holder('a');
    await stopRedis(rig, a);
    const beganAt = performance.now();
    await expect(a.take()).rejects.toMatchObject(AWAY);
    expect(performance.now() - beganAt).toBeLessThan(1_500);
    expect(rig.provider.writes.writes).toBe(0);
  }, 30_000);

  test('a number is left as it is at the end, which says what gives it back; that does so', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const a = await rig.holder('a');
    const lease = await a.take();
    await stopRedis(rig, a);
    await expect(lease.move(urlsOf('plivo', 'moved'))).rejects.toMatchObject(AWAY);
    await expect(lease.check(1)).rejects.toMatchObject(AWAY);
    await expect(lease.giveBack()).rejects.toMatchObject({
      code: 'VB_RESTORE_FAILED',
      hint: expect.stringContaining('npx voicebot restore'),
    });
    expect(await rig.provider.answeredAt()).toBe(CLUSTER);
    expect(lease.isGivenBack).toBe(false);
    // The command knows the disk of this machine only.
    const options = { routing: a.routing, account: rig.provider.account, isLive: async () => false };
    const journal = new LeaseJournal(a.state);
    expect(journal.entries()).toHaveLength(1);
    expect(await restoreOrphans({ ...options, journal })).toEqual([]); // the run that holds it lives
    const routingFor = () => a.routing;
    const restored = await restoreLeases({ journal, routingFor, number: NUMBER, isForced: true });
    expect(restored).toMatchObject([{ outcome: 'restored' }]);
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);

  test('a number goes back once it is there again', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const a = await rig.holder('a');
    const lease = await a.take();
    await stopRedis(rig, a);
    await expect(lease.giveBack()).rejects.toMatchObject({ code: 'VB_RESTORE_FAILED' });
    const up = once(a.redis, 'up');
    await rig.server.start();
    await up;
    expect(await lease.giveBack()).toBe('restored');
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);
});

describeWithRedis('a Redis that has lost everything', () => {
  test('is told again by the next look of a holder, before whoever joins meanwhile goes on', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const [a, b] = [await rig.holder('a'), await rig.holder('b')];
    const first = await a.take();
    await empty(a);
    const joining = b.take();
    await until(async () => (await a.redis.run((redis) => redis.keys('*'))).length > 0, 'the other has the lock');
    expect(await first.check(1)).toBe('in_place');
    const second = await joining;
    expect(await first.giveBack()).toBe('left_to_others');
    expect(await second.giveBack()).toBe('restored');
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);

  test('is never told anything older by a run that has lost the number', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
    const first = await a.take();
    const second = await b.take({ isTaking: true });
    await rig.server.stop({ keeps: false });
    await rig.server.start();
    await until(async () => (await b.leases.entries().catch(() => [])).length === 1, 'it is written down again');
    await until(() => a.redis.isUp && b.redis.isUp, 'both have found it again');
    // Whichever of the two has come first: the newer one stays.
    expect(await second.check(1)).toBe('in_place');
    expect(await first.check(1)).toBe('taken');
    expect(await first.giveBack()).toBe('foreign');
    expect(await rig.provider.answeredAt()).toBe(urlsOf('plivo', 'second').answerUrl);
    expect(await second.giveBack()).toBe('restored');
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);

  test('gives out greater tokens than before all the same', async () => {
    await using rig = await ClusterRig.open();
    const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
    const tokenOf = async (holder: Holder) => (await holder.leases.entries())[0]?.cluster?.token ?? 0;
    await a.take();
    const token = await tokenOf(a);
    await empty(a);
    const second = await b.take({ isTaking: true });
    expect(await tokenOf(b)).toBeGreaterThan(token);
    await second.giveBack();
  }, 30_000);

  test('leaves the disk: a machine that starts again puts back what it held', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const a = await rig.holder('a');
    await a.take();
    a.leases.close(); // as a process that was killed
    rig.lose(a);
    await empty(a);
    const journal = new LeaseJournal(a.state);
    for (const entry of journal.entries()) journal.replace({ ...entry, pid: 2 ** 30 });
    expect(await a.restore()).toMatchObject([{ number: NUMBER, outcome: 'restored' }]);
    expect(await rig.provider.stored()).toEqual(before);
    expect(a.files).toEqual([]);
  }, 30_000);
});

describeWithRedis('a taking that fails', () => {
  test('leaves the number with the run that it was taken from, who gives it back', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
    const first = await a.take();
    const verify = b.routing.verify.bind(b.routing);
    let isFirst = true;
    b.routing.verify = async (change, signal) => {
      const difference = await verify(change, signal);
      if (!isFirst) return difference;
      isFirst = false;
      return 'it is not as it should be';
    };
    await expect(b.take({ isTaking: true })).rejects.toMatchObject({ code: 'VB_REGISTRATION_FAILED' });
    expect(await rig.provider.answeredAt()).toBe(urlsOf('plivo', 'first').answerUrl);
    expect(b.files).toEqual([]);
    expect(await first.check(1)).toBe('in_place');
    expect(await first.giveBack()).toBe('restored');
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);
});
