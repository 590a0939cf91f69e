import { until } from '../../e2e/processes.js';
import { describeWithRedis } from '../redis-server.js';
import { ClusterRig, type Holder } from './cluster-rig.js';
import { BARE_NUMBER, LEGACY_NUMBER, PROVIDERS, type ProviderName } from './played-account.js';
import { NUMBER, urlsOf } from './provider-access.js';

/** Places of three runners in the order in which they end. */
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

const entriesOf = async (holder: Holder) => (await holder.leases.entries()).length;

describeWithRedis('a number that three runners hold together', () => {
  describe.each(PROVIDERS)('at %s', (name: ProviderName) => {
    const { answerUrl } = urlsOf(name, 'cluster');

    test('goes back, byte for byte, with the last of them, in whichever order they end', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const holders = [await rig.holder('a'), await rig.holder('b'), await rig.holder('c')];
      for (const order of ORDERS) {
        const leases = [];
        for (const holder of holders) {
          const writes = rig.provider.writes.writes;
          leases.push(await holder.take());
          if (holder !== holders[0]) expect(rig.provider.writes.writes).toBe(writes);
        }
        expect(holders.map(({ files }) => files.length)).toEqual([1, 1, 1]);
        for (const [place, which] of order.entries()) {
          expect(await rig.provider.answeredAt()).toBe(answerUrl);
          const outcome = await leases[which]?.giveBack();
          expect([order, outcome]).toEqual([order, place < 2 ? 'left_to_others' : 'restored']);
          expect(holders[which]?.files).toEqual([]);
        }
        expect(await rig.provider.stored()).toEqual(before);
        expect(await entriesOf(holders[0] as Holder)).toBe(0);
      }
    }, 60_000);

    test('is inherited by those that live when the first is killed', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b, c] = [await rig.holder('a'), await rig.holder('b'), await rig.holder('c')];
      await a.take();
      const [of, third] = [await b.take(), await c.take()];
      rig.lose(a);
      expect(await of.giveBack()).toBe('left_to_others');
      expect(await rig.provider.answeredAt()).toBe(answerUrl);
      expect(await third.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
      // The disk of the first still has what it held: it is known to be over when it starts again.
      expect(a.files).toHaveLength(1);
      expect(await a.restore()).toEqual([]);
      expect(a.files).toEqual([]);
    }, 30_000);

    test('is put back by the next run when all of them are killed', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a'), await rig.holder('b')];
      await a.take();
      await b.take();
      for (const holder of [a, b]) rig.lose(holder);
      const next = await rig.holder('next');
      expect(await next.restore()).toMatchObject([{ number: NUMBER, outcome: 'restored' }]);
      expect(await rig.provider.stored()).toEqual(before);
      const lease = await next.take();
      expect(await lease.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    }, 30_000);

    test('is written down again when Redis starts again empty, and goes back with the last', async () => {
      await using rig = await ClusterRig.open(name);
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a'), await rig.holder('b')];
      const leases = [await a.take(), await b.take()];
      await rig.server.stop({ keeps: false });
      await rig.server.start();
      // It comes before they have written anything down, finds its own address there, and waits for them.
      const late = await rig.holder('late');
      leases.push(await late.take());
      expect(await late.leases.entries()).toMatchObject([{ cluster: { holders: expect.arrayContaining(['a', 'b']) } }]);
      await until(() => a.redis.isUp && b.redis.isUp, 'all have found it again');
      expect(await leases[0]?.giveBack()).toBe('left_to_others');
      expect(await leases[1]?.giveBack()).toBe('left_to_others');
      expect(await leases[2]?.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    }, 30_000);
  });

  test.each([
    ['in the array of the domain', LEGACY_NUMBER],
    ['without a setting', BARE_NUMBER],
  ])(
    'goes back at the room provider when it is one %s',
    async (_kind, number) => {
      await using rig = await ClusterRig.open('daily');
      const before = await rig.provider.stored();
      const [a, b] = [await rig.holder('a'), await rig.holder('b')];
      const leases = [await a.take({ number }), await b.take({ number })];
      expect(await rig.provider.answeredAt(number)).toBe(urlsOf('daily', 'cluster').answerUrl);
      expect(await leases[0]?.giveBack()).toBe('left_to_others');
      expect(await leases[1]?.giveBack()).toBe('restored');
      expect(await rig.provider.stored()).toEqual(before);
    },
    30_000,
  );

  test('is not joined by a runner that checks the webhooks with another secret', async () => {
    await using rig = await ClusterRig.open('daily');
    const [a, b] = [await rig.holder('a'), await rig.holder('b')];
    const lease = await a.take();
    const secret = Buffer.from('another one').toString('base64');
    await expect(b.take({ secret })).rejects.toMatchObject({
      code: 'VB_CLUSTER_UNSUITABLE',
      message: expect.not.stringContaining(secret),
    });
    expect(await lease.giveBack()).toBe('restored');
  }, 30_000);
});
