import { until } from '../../e2e/processes.js';
import { CampaignRig } from '../../runner/campaigns/campaign-rig.js';
import { FakePhones } from '../../runner/campaigns/fake-phones.js';
import { numberOf } from '../../runner/campaigns/runner-of-campaigns.js';
import { describeWithRedis } from '../redis-server.js';

describeWithRedis('campaigns of a cluster', () => {
  test('its runners share the calls, and each call is made by one of them', async () => {
    await using rig = await CampaignRig.start('redis');
    const [one, other] = [await rig.runner(), await rig.runner(undefined, rig.machine())];
    const id = await one.begin(60, { atOnce: 4 });
    const results = await one.over(id, 30_000);
    await until(() => other.progress(id).endedAt !== undefined, 'the other one knows');
    expect(other.campaigns.results(id)).toEqual(results);
    const [byOne, byOther] = [one, other].map(({ phones }) => phones.dialled.all.map(({ phoneNumber }) => phoneNumber));
    expect([...(byOne ?? []), ...(byOther ?? [])].toSorted()).toEqual(
      results.map(({ row }) => numberOf(row)).toSorted(),
    );
    expect(byOne?.length).toBeGreaterThan(0);
    expect(byOther?.length).toBeGreaterThan(0);
  }, 60_000);

  test('an order to one of them holds for all', async () => {
    await using rig = await CampaignRig.start('redis');
    const talking = () => new FakePhones(() => 'talks');
    const [one, other] = [await rig.runner(talking()), await rig.runner(talking(), rig.machine())];
    const id = await one.begin(10, { atOnce: 2 });
    await until(() => one.phones.talking + other.phones.talking === 2, 'two talk');
    await until(() => other.campaigns.progress(id) !== undefined, 'the other one knows of it');
    await other.campaigns.order(id, 'cancel');
    await until(() => one.progress(id).condition === 'cancelled', 'it is cancelled for the first one too');
    for (const { phones } of [one, other]) for (const { callId } of phones.dialled.all) phones.end(callId, 'bot_ended');
    await one.over(id);
    expect(one.phones.dialled.all.length + other.phones.dialled.all.length).toBe(2);
  }, 60_000);

  test('what one has begun or ordered the other one knows when it is asked, at once', async () => {
    await using rig = await CampaignRig.start('redis');
    const talking = () => new FakePhones(() => 'talks');
    const [one, other] = [await rig.runner(talking()), await rig.runner(talking(), rig.machine())];
    const id = await one.begin(10, { atOnce: 1 });
    await other.campaigns.find(id);
    expect(other.campaigns.progress(id)).toMatchObject({ condition: 'running' });
    expect(other.campaigns.results(id)).toHaveLength(10);
    const next = await one.begin(10, { atOnce: 1 });
    expect(await other.campaigns.order(next, 'pause')).toMatchObject({ condition: 'paused' });
    await one.campaigns.find(next);
    expect(one.progress(next).condition).toBe('paused');
    const last = await one.begin(10, { atOnce: 1 });
    expect(await other.campaigns.order(last, 'cancel')).toMatchObject({ condition: 'cancelled' });
    expect(await other.campaigns.order('cmp_nobody-began-it', 'cancel')).toBeUndefined();
    expect(await other.campaigns.order(`${id}:state`, 'cancel')).toBeUndefined();
    await rig.redis?.stop();
    await expect(other.campaigns.find('cmp_nobody-began-it')).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
  }, 60_000);

  test('while Redis is away calls go on, nobody is dialled, and afterwards it goes on', async () => {
    await using rig = await CampaignRig.start('redis');
    const runner = await rig.runner(new FakePhones((number) => (number === numberOf(1) ? 'talks' : 'bot_ended')));
    const id = await runner.begin(5, { atOnce: 1 });
    const { callId } = await runner.phones.dialled.next();
    await until(() => runner.progress(id).running === 1, 'it talks');
    await rig.redis?.stop();
    runner.phones.end(callId, 'caller_hung_up');
    await until(() => runner.progress(id).done === 1, 'its end is written down');
    await expect(runner.phones.dialled.next(undefined, 600)).rejects.toThrow('nothing fitting');
    await expect(runner.campaigns.order(id, 'pause')).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    await rig.redis?.start();
    const results = await runner.over(id, 20_000);
    expect(results.map(({ outcome }) => outcome)).toEqual(['caller_hung_up', ...Array(4).fill('bot_ended')]);
    expect(runner.phones.dialled.all).toHaveLength(5);
  }, 60_000);

  test('what was ordered last holds, whoever remembers an order that came before it', async () => {
    await using rig = await CampaignRig.start('redis');
    const machine = rig.machine();
    const [one, other] = [await rig.runner(), await rig.runner(undefined, machine)];
    const id = await one.begin(4, { atOnce: 1, perMinute: 60 });
    await one.campaigns.order(id, 'pause');
    await until(() => other.campaigns.progress(id)?.condition === 'paused', 'the other one knows');
    await other.stop();
    await rig.redis?.stop({ keeps: false });
    await rig.redis?.start();
    await until(
      async () => (await one.campaigns.order(id, 'resume').catch(() => undefined)) !== undefined,
      'it is resumed',
    );
    const again = await rig.runner(undefined, machine);
    await until(
      () => again.campaigns.progress(id)?.condition === 'running',
      'that holds for the one that knew it paused',
    );
    await one.over(id);
    expect(again.queue.states.get(id)?.turnedAt).toBe(one.queue.states.get(id)?.turnedAt);
  }, 60_000);

  test('a Redis that comes back empty is told everything, and nobody is called twice', async () => {
    await using rig = await CampaignRig.start('redis');
    const talks = () => new FakePhones((number) => (Number(number.slice(-1)) < 3 ? 'talks' : 'bot_ended'));
    const [one, other] = [await rig.runner(talks()), await rig.runner(talks(), rig.machine())];
    const id = await one.begin(24, { atOnce: 8 });
    const phones = [one.phones, other.phones];
    await until(() => phones.reduce((sum, { talking }) => sum + talking, 0) === 8, 'eight talk', 15_000);
    await one.campaigns.order(id, 'pause');
    await rig.redis?.stop({ keeps: false });
    await rig.redis?.start();
    await until(
      async () => (await one.campaigns.order(id, 'resume').catch(() => undefined)) !== undefined,
      'it is back',
    );
    for (const each of phones) {
      for (const { callId } of each.dialled.all) each.end(callId, 'caller_hung_up');
    }
    const endAll = setInterval(() => {
      for (const each of phones) for (const { callId } of each.dialled.all) each.end(callId, 'caller_hung_up');
    }, 50);
    try {
      const results = await one.over(id, 30_000);
      expect(results.every(({ attempts }) => attempts === 1)).toBe(true);
    } finally {
      clearInterval(endAll);
    }
    const called = phones.flatMap(({ dialled }) => dialled.all.map(({ phoneNumber }) => phoneNumber));
    expect(called.toSorted()).toEqual(Array.from({ length: 24 }, (_, index) => numberOf(index + 1)).toSorted());
  }, 90_000);
});
