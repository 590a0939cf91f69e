import { VoicebotError } from '../../../src/base/errors.js';
import { DialLimitError } from '../../../src/runner/dialing/dial-limits.js';
import { describeWithRedis } from '../../cluster/redis-server.js';
import { until } from '../../e2e/processes.js';
import { CampaignRig, type QueueKind } from './campaign-rig.js';
import { FakePhones, type Reaction } from './fake-phones.js';
import { campaignOf, numberOf, retries } from './runner-of-campaigns.js';

/** Numbers that react in order; the last reaction stays. */
const inOrder =
  (...reactions: Reaction[]) =>
  (_number: string, before: number): Reaction =>
    reactions[Math.min(before, reactions.length - 1)] as Reaction;

function behaves(kind: QueueKind): void {
  test('everybody is called once, no more at once than wanted, and gets the data of the row', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner();
    const id = await runner.begin(30, { atOnce: 3 });
    const results = await runner.over(id);
    expect(results).toHaveLength(30);
    for (const { row, attempts, outcome, callId } of results) {
      expect({ row, attempts, outcome }).toEqual({ row, attempts: 1, outcome: 'bot_ended' });
      const [call, ...more] = runner.phones.dialled.all.filter(({ phoneNumber }) => phoneNumber === numberOf(row));
      expect([call?.callId, call?.body, more]).toEqual([callId, { row }, []]);
    }
    expect(runner.phones.mostTalking).toBeLessThanOrEqual(3);
    expect(runner.progress(id)).toMatchObject({ condition: 'done', done: 30, outcomes: { bot_ended: 30 }, faults: 0 });
  });

  test('calls come evenly, as many a minute as wanted', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner();
    const id = await runner.begin(4, { perMinute: 300 });
    await runner.over(id);
    const times = runner.phones.dialled.all.map(({ at }) => at);
    // One every 200 ms. How long each call takes to be dialled after it was begun depends on the machine.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3 * 200 - 150);
  });

  test('whoever is busy is called again as often as the rules say', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones((number) => (number === numberOf(1) ? 'busy' : 'caller_hung_up')));
    const id = await runner.begin(2, { retries: { busy: { pauseMs: 50, times: 2 } } });
    const results = await runner.over(id);
    expect(results.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['busy', 3],
      ['caller_hung_up', 1],
    ]);
    expect(runner.phones.timesOf(numberOf(1))).toBe(3);
  });

  test('while it waits for another attempt it says until when', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones(() => 'no_answer'));
    const id = await runner.begin(1, { retries: retries('no_answer:1h') });
    await until(() => runner.progress(id).waitingUntil !== undefined && runner.progress(id).running === 0, 'it waits');
    const { waitingUntil = 0, waiting, done } = runner.progress(id);
    expect([waiting, done]).toEqual([1, 0]);
    expect(waitingUntil - Date.now()).toBeGreaterThan(3_500_000);
  });

  test('a bot that crashes three times has its row set aside', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones(() => 'bot_crashed'));
    const id = await runner.begin(1, { retries: { bot_crashed: { pauseMs: 20, times: 20 } } });
    expect(await runner.over(id)).toMatchObject([{ outcome: 'bot_crashed', attempts: 3 }]);
    expect(runner.progress(id).faults).toBe(1);
  });

  test('a refused request is an outcome; a limit of the runner, and a carrier that is away, are waited for', async () => {
    await using rig = await CampaignRig.start(kind);
    const refused = new VoicebotError('VB_TARGET_REFUSED', 'not this one');
    const phones = new FakePhones((number, before) => {
      if (number === numberOf(1)) return refused;
      return before === 0 ? new DialLimitError('one a second', 'wait', 1, true) : 'bot_ended';
    });
    const runner = await rig.runner(phones);
    const id = await runner.begin(2);
    const results = await runner.over(id);
    expect(results).toMatchObject([
      { outcome: 'failed', attempts: 1, problem: expect.stringContaining('not this one') },
      { outcome: 'bot_ended', attempts: 1 },
    ]);
    expect(phones.timesOf(numberOf(2))).toBe(2);
  });

  test('a number that can be called at no time, such as one without a price, ends its row', async () => {
    const never = new DialLimitError('no price for a call to this number', 'add it', undefined, true);
    const phones = new FakePhones((number) => (number === numberOf(1) ? never : 'bot_ended'));
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(phones);
    const results = await runner.over(await runner.begin(2));
    expect(results).toMatchObject([
      { outcome: 'failed', attempts: 1, problem: expect.stringContaining('no price') },
      { outcome: 'bot_ended' },
    ]);
  });

  test('a number that asked not to be called again ends its row, which no rule tries again', async () => {
    await using rig = await CampaignRig.start(kind);
    const listed = new VoicebotError('VB_DO_NOT_CALL', 'since 2026-01-31');
    const runner = await rig.runner(new FakePhones((number) => (number === numberOf(1) ? listed : 'bot_ended')));
    const id = await runner.begin(2, { retries: retries('failed:1s:3,uncertain:1s:3') });
    expect(await runner.over(id)).toMatchObject([
      { outcome: 'do_not_call', attempts: 1, problem: expect.stringContaining('since 2026-01-31') },
      { outcome: 'bot_ended', attempts: 1 },
    ]);
    expect(runner.phones.timesOf(numberOf(1))).toBe(1);
    expect(runner.progress(id)).toMatchObject({ outcomes: { do_not_call: 1, bot_ended: 1 }, faults: 0 });
  });

  test('a call that may have been placed is not placed again, unless the rules say so', async () => {
    await using rig = await CampaignRig.start(kind);
    const uncertain = new VoicebotError('VB_CALL_UNCERTAIN', 'its answer got lost');
    const runner = await rig.runner(new FakePhones(inOrder(uncertain, 'bot_ended')));
    const plain = await runner.over(await runner.begin(1));
    expect(plain).toMatchObject([{ outcome: 'uncertain', attempts: 1 }]);
    await runner.stop(); // it would take a part of the calls
    const other = await rig.runner(new FakePhones(inOrder(uncertain, 'bot_ended')), rig.machine());
    const again = await other.over(await other.begin(1, { retries: { uncertain: { pauseMs: 20, times: 1 } } }));
    expect(again).toMatchObject([{ outcome: 'bot_ended', attempts: 2 }]);
  });

  test('paused it calls nobody, resumed it goes on, and whoever talks is left alone', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones(() => 'talks'));
    const id = await runner.begin(4, { atOnce: 1 });
    const first = await runner.phones.dialled.next();
    expect(await runner.campaigns.order(id, 'pause')).toMatchObject({ condition: 'paused', running: 1 });
    runner.phones.end(first.callId, 'caller_hung_up');
    await until(() => runner.progress(id).done === 1, 'the call is over');
    await expect(runner.phones.dialled.next(undefined, 400)).rejects.toThrow('nothing fitting');
    await runner.campaigns.order(id, 'resume');
    const second = await runner.phones.dialled.next();
    expect(second.phoneNumber).toBe(numberOf(2));
  });

  test('cancelled it is over when the last call is, and stays cancelled', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones(() => 'talks'));
    const id = await runner.begin(3, { atOnce: 1 });
    const { callId } = await runner.phones.dialled.next();
    await until(() => runner.progress(id).running === 1, 'it talks');
    await runner.campaigns.order(id, 'cancel');
    expect(runner.progress(id)).toMatchObject({ condition: 'cancelled', running: 1, waiting: 0 });
    expect(runner.progress(id).endedAt).toBeUndefined();
    expect(runner.phones.talking).toBe(1);
    await runner.campaigns.order(id, 'resume');
    runner.phones.end(callId, 'bot_ended');
    const results = await runner.over(id);
    expect(results.map(({ outcome }) => outcome)).toEqual(['bot_ended', undefined, undefined]);
    expect(runner.phones.dialled.all).toHaveLength(1);
  });

  test('outside the calling hours of a row nobody is called there', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner();
    // Two zones that are twelve hours apart, of which one has day: whoever has night waits.
    const hour = (zone: string) => Number(new Date().toLocaleTimeString('en-GB', { timeZone: zone }).slice(0, 2));
    const [awake, asleep] = hour('UTC') >= 6 && hour('UTC') < 18 ? ['UTC', 'Etc/GMT+12'] : ['Etc/GMT+12', 'UTC'];
    const contacts = [
      { phoneNumber: numberOf(1), timeZone: asleep, body: {} },
      { phoneNumber: numberOf(2), timeZone: awake, body: {} },
    ];
    const id = await runner.begin(0, { contacts, hours: { from: 6 * 60, to: 18 * 60 } });
    await until(() => runner.progress(id).done === 1, 'one is called');
    expect(runner.phones.dialled.all.map(({ phoneNumber }) => phoneNumber)).toEqual([numberOf(2)]);
    await until(() => (runner.progress(id).waitingUntil ?? 0) > Date.now() + 10_000, 'the other one waits');
  });

  test('a repeated request is the same campaign, and another one under its identifier is refused', async () => {
    await using rig = await CampaignRig.start(kind);
    const runner = await rig.runner(new FakePhones(() => 'talks'));
    const campaign = campaignOf(3);
    const [one, same] = await Promise.all([runner.campaigns.create(campaign), runner.campaigns.create(campaign)]);
    expect(same.id).toBe(one.id);
    expect(runner.campaigns.list()).toHaveLength(1);
    const other = { ...campaign, fingerprint: 'b' };
    await expect(runner.campaigns.create(other)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
  });

  test('how calls end because a runner stops is written down', async () => {
    await using rig = await CampaignRig.start(kind);
    const before = await rig.runner(new FakePhones(() => 'talks'));
    const id = await before.begin(2, { atOnce: 2 });
    await until(() => before.progress(id).running === 2 && before.phones.talking === 2, 'both talk');
    before.campaigns.drain();
    for (const { callId } of before.phones.dialled.all) before.phones.end(callId, 'runner_stopped');
    await before.stop();
    const after = await rig.runner();
    expect(await after.over(id)).toMatchObject([{ outcome: 'runner_stopped' }, { outcome: 'runner_stopped' }]);
    const endedAt = before.queue.states
      .get(id)
      ?.entries()
      .map((entry) => 'endedAt' in entry && entry.endedAt);
    expect(endedAt).toEqual([expect.any(Number), expect.any(Number)]);
    expect(after.queue.states.get(id)?.entries()).toMatchObject(endedAt?.map((at) => ({ endedAt: at })) ?? []);
  });

  test('a runner that was stopped goes on with its campaigns when it is there again', async () => {
    await using rig = await CampaignRig.start(kind);
    const before = await rig.runner();
    const id = await before.begin(20, { perMinute: 1_200, retries: retries('busy:1h') });
    await until(() => before.progress(id).done >= 3, 'some are called');
    await before.campaigns.order(id, 'pause');
    await until(() => before.progress(id).running === 0, 'nobody talks');
    const called = before.phones.dialled.all.length;
    await before.stop();
    const after = await rig.runner();
    expect(after.progress(id)).toMatchObject({ condition: 'paused', done: called, rows: 20 });
    await after.campaigns.order(id, 'resume');
    expect(await after.over(id)).toHaveLength(20);
    expect(after.phones.dialled.all).toHaveLength(20 - called);
  });
}

describe('campaigns in files', () => behaves('files'));
describeWithRedis('campaigns on Redis', () => behaves('redis'));
