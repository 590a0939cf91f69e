import { deferred } from '../../../src/base/async/deferred.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis } from '../redis-server.js';
import { ClusterRig, type Holder } from './cluster-rig.js';
import { PROVIDERS, type ProviderName } from './played-account.js';
import { NUMBER, urlsOf } from './provider-access.js';

const HELD = { code: 'VB_NUMBER_HELD' };
const REPAIRED = 'a run that had lost the number changed it late: it points here again';
const FOREIGN = 'http://somebody.localhost:9/answer';

describeWithRedis('two runs of one Redis that fight for a number', () => {
  describe.each(PROVIDERS)('at %s', (name: ProviderName) => {
    const at = (host: string) => urlsOf(name, host).answerUrl;

    test('the second is refused, or takes it; the first changes nothing any more, and it goes back with the second', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
      const first = await a.take();
      await expect(b.take()).rejects.toMatchObject(HELD);
      expect(await rig.provider.answeredAt()).toBe(at('first'));
      const second = await b.take({ isTaking: true });
      const { writes } = rig.provider.writes;
      await expect(first.move(urlsOf(name, 'moved'))).rejects.toMatchObject(HELD);
      expect(await first.check(1)).toBe('taken');
      expect(await first.giveBack()).toBe('foreign');
      expect(rig.provider.writes.writes).toBe(writes);
      expect(await rig.provider.answeredAt()).toBe(at('second'));
      expect(await second.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
      expect([a.files, b.files]).toEqual([[], []]);
    }, 30_000);

    test('one of which nothing is heard any more loses it without being asked, and wakes in vain', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
      const first = await a.take();
      rig.lose(a);
      const second = await b.take();
      rig.alive.add('a');
      const { writes } = rig.provider.writes;
      expect(await first.check(1)).toBe('taken');
      expect(await first.giveBack()).toBe('foreign');
      expect(rig.provider.writes.writes).toBe(writes);
      expect(await second.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    }, 30_000);

    test('what the first was putting back arrives late: the second points it at itself again', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
      const first = await a.take();
      const [held, arrives] = [deferred(), deferred()];
      const nth = rig.provider.writes.writes + 1;
      rig.provider.writes.at = async (write, moment) => {
        if (write !== nth || moment !== 'before') return true;
        held.resolve();
        await arrives.promise;
        return true;
      };
      const giving = first.giveBack(AbortSignal.timeout(20_000)).catch((error: unknown) => error);
      await held.promise;
      rig.lose(a);
      await breakLocks(a);
      const second = await b.take();
      b.watch(second);
      arrives.resolve();
      expect(await giving).toBe('foreign');
      await until(() => b.said.length > 0, 'the second has seen it');
      expect(b.said).toEqual([REPAIRED]);
      expect(await rig.provider.answeredAt()).toBe(at('second'));
      expect(await b.giveBack(second)).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    }, 30_000);

    test('an address that the first was giving it arrives late: the second points it at itself again', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a', 'first'), await rig.holder('b', 'second')];
      const first = await a.take();
      const second = await b.take({ isTaking: true });
      b.watch(second);
      // What a request does that has been under way since before the second came.
      await a.routing.apply(first.change);
      await until(() => b.said.length > 0, 'the second has seen it');
      expect(b.said).toEqual([REPAIRED]);
      expect(await rig.provider.answeredAt()).toBe(at('second'));
      expect(await first.giveBack()).toBe('foreign');
      expect(await b.giveBack(second)).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    }, 30_000);
  });
});

/** As when they run out, because whoever holds them stands still. */
async function breakLocks({ redis }: Holder): Promise<void> {
  await redis.run(async (client) => client.del(await client.keys(redis.key('lease-lock', '*').replace(/[{}]/g, '?'))));
}

describeWithRedis('a number that a runner of a cluster holds', () => {
  test('is held together again with one that took it at the same address while nothing was heard of the runner', async () => {
    await using rig = await ClusterRig.open();
    const before = await rig.provider.stored();
    const [a, b] = [await rig.holder('a'), await rig.holder('b')];
    const first = await a.take();
    rig.lose(a);
    expect(await b.restore()).toMatchObject([{ outcome: 'restored' }]);
    const second = await b.take();
    rig.alive.add('a');
    expect(await first.check(1)).toBe('in_place');
    expect(await second.giveBack()).toBe('left_to_others');
    expect(await rig.provider.answeredAt()).toBe(urlsOf('plivo', 'cluster').answerUrl);
    expect(await first.giveBack()).toBe('restored');
    expect(await rig.provider.stored()).toEqual(before);
  }, 30_000);

  test('stays as somebody else has set it, who is told of once', async () => {
    await using rig = await ClusterRig.open();
    const a = await rig.holder('a');
    const lease = await a.take();
    a.watch(lease);
    const [of] = await Promise.all([a.routing.plan({ ...TARGET, urls: urlsOf('plivo', 'somebody') })]);
    await a.routing.apply(of.change);
    await until(() => a.said.length > 0, 'it is told');
    await expect(lease.move(urlsOf('plivo', 'moved'))).rejects.toMatchObject({ code: 'VB_REGISTRATION_FAILED' });
    for (let looks = 0; looks < 3; looks += 1) await lease.check(1);
    expect(a.said).toEqual([
      'a person or another program has changed the number, and it stays so: it does not point here any more',
    ]);
    expect(await a.giveBack(lease)).toBe('foreign');
    expect(await rig.provider.answeredAt()).toBe(FOREIGN);
  }, 30_000);
});

const TARGET = {
  number: NUMBER,
  leaseId: 'ofsomebody',
  secret: undefined,
  isOldAddress: () => false,
};
