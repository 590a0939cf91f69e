import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { asCallId, type CallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { CallDirectory } from '../../../src/cluster/calls/call-directory.js';
import type { PortableCall } from '../../../src/runner/http/elsewhere.js';
import { until } from '../../e2e/processes.js';
import { LinkedRedis } from '../linked-redis.js';
import { describeWithRedis } from '../redis-server.js';

const newId = () => asCallId(randomUUID());

const recordOf = (id: CallId, more: Partial<CallRecord> = {}): CallRecord => ({
  id,
  direction: 'inbound',
  from: '+12025550101',
  to: '+12025550100',
  state: 'connected',
  attempt: 1,
  startedAt: 1_000,
  ...more,
});

const keptOf = (id: CallId, more: Partial<CallRecord> = {}, life: object = { bots: 1 }): PortableCall => ({
  record: recordOf(id, more),
  life: { ...life },
});

/** Runners `r0`, `r1`… of which each has a link of its own. */
async function directoriesOn(redis: LinkedRedis, count: number): Promise<CallDirectory[]> {
  const made: CallDirectory[] = [];
  for (let no = 0; no < count; no += 1) {
    const directory = new CallDirectory({ redis: await redis.link(), ownId: `r${no}`, maxCallMs: 60_000 });
    redis.onClose(() => directory.close());
    made.push(directory);
  }
  return made;
}

const twoOn = async (redis: LinkedRedis) => (await directoriesOn(redis, 2)) as [CallDirectory, CallDirectory];

async function begin(directory: CallDirectory, id: CallId, more: Partial<CallRecord> = {}): Promise<void> {
  await directory.claim(id);
  directory.changed(id, () => keptOf(id, more));
  await directory.flush(id);
}

describeWithRedis('the directory of calls', () => {
  test('twenty claims of one call over three links have one owner, which all are told', async () => {
    await using redis = await LinkedRedis.start();
    const directories = await directoriesOn(redis, 3);
    const id = newId();
    const claims = await Promise.all(
      Array.from({ length: 20 }, async (_, no) => ({
        by: `r${no % 3}`,
        claim: await (directories[no % 3] as CallDirectory).claim(id),
      })),
    );
    const owners = claims.map(({ by, claim }) => (claim.is === 'theirs' ? claim.runnerId : by));
    expect(new Set(owners).size).toBe(1);
    expect(claims.filter(({ claim }) => claim.is === 'over')).toEqual([]);
  });

  test('one that is claimed for another runner is its own', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const id = newId();
    expect(await first.claim(id, id, 'r1')).toMatchObject({ is: 'theirs', runnerId: 'r1' });
    expect(await second.claim(id)).toMatchObject({ is: 'ours', kept: undefined });
    expect(await first.ownerOf(id)).toBe('r1');
  });

  test('whoever takes a call over has all that was written down, and a higher epoch; only one can', async () => {
    await using redis = await LinkedRedis.start();
    const directories = await directoriesOn(redis, 3);
    const [first, second, third] = directories as [CallDirectory, CallDirectory, CallDirectory];
    const id = newId();
    await begin(first, id);
    const taken = await Promise.all([second, third].map((one) => one.take(id, 'r0')));
    expect(taken.map(({ is }) => is).toSorted()).toEqual(['ours', 'theirs']);
    const winner = taken[0]?.is === 'ours' ? second : third;
    expect(taken.find(({ is }) => is === 'ours')).toEqual({ is: 'ours', kept: keptOf(id) });
    expect(winner.epochOf(id)).toBe(2);
    expect(await winner.callsOf('r0')).toEqual([]);
    expect(await winner.take(newId(), 'r0')).toEqual({ is: 'theirs', runnerId: undefined });
  });

  test('what a former owner writes is refused, and it is told that the call is lost', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const id = newId();
    await begin(first, id);
    await second.take(id, 'r0');
    const lost = once(first, 'lost');
    first.changed(id, () => keptOf(id, { attempt: 9 }));
    expect(await lost).toEqual([id]);
    expect(await second.record(id)).toMatchObject({ attempt: 1 });
    first.finished(recordOf(id, { state: 'ended', endReason: 'bot_crashed' })); // nothing of it is its own any more
    await first.flush(id);
    expect(await second.endOf(id)).toBeUndefined();
    expect(await second.ownerOf(id)).toBe('r1');
  });

  test('a former owner does not bring back a call that its new owner has ended', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const id = newId();
    await begin(first, id);
    await second.take(id, 'r0');
    second.finished(recordOf(id, { state: 'ended', endReason: 'caller_hung_up' }));
    await until(async () => (await second.endOf(id)) !== undefined, 'it is over');
    const lost = once(first, 'lost');
    await first.check();
    expect(await lost).toEqual([id]);
    expect(await first.ownerOf(id)).toBeUndefined();
  });

  test('what the provider calls a call leads to it', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const [id, providerName] = [newId(), 'CA-of-the-carrier'];
    await begin(first, id, { direction: 'outbound', providerCallId: providerName });
    expect(await second.claim(asCallId(providerName), providerName)).toEqual({ is: 'theirs', id, runnerId: 'r0' });
    expect(await first.claim(asCallId(providerName), providerName)).toMatchObject({ is: 'ours', id });
    expect(await second.ownerOf(asCallId(providerName))).toBeUndefined();
  });

  test('a call that is over is told as that, with why; one that was only claimed leaves nothing', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const [id, dropped] = [newId(), newId()];
    await begin(first, id);
    first.finished(recordOf(id, { state: 'ended', endReason: 'no_answer', endedAt: 2_000 }));
    await until(async () => (await second.endOf(id)) !== undefined, 'it is over');
    expect(await second.claim(id)).toEqual({ is: 'over', id, reason: 'no_answer' });
    expect(await second.record(id)).toMatchObject({ endReason: 'no_answer' });

    await first.claim(dropped);
    await first.drop(dropped);
    expect(await second.claim(dropped)).toMatchObject({ is: 'ours' });
    expect(await second.record(dropped)).toBeUndefined();
  });

  test('the calls of all runners are listed, each under the one that has it', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const [one, two, over] = [newId(), newId(), newId()];
    await begin(first, one);
    await begin(second, two);
    await begin(second, over);
    second.finished(recordOf(over, { state: 'ended', endReason: 'busy' }));
    await until(async () => (await first.endOf(over)) !== undefined, 'it is over');
    const found = await first.records(['r0', 'r1', 'gone']);
    expect([...found.live].map(([runner, records]) => [runner, records.map(({ id }) => id)])).toEqual([
      ['r0', [one]],
      ['r1', [two]],
      ['gone', []],
    ]);
    expect(found.over.map(({ id }) => id)).toEqual([over]);
  });

  test('what is learnt of a call when it is over changes its record, and adds no other', async () => {
    await using redis = await LinkedRedis.start();
    const [one, other] = await twoOn(redis);
    const [id, forgotten] = [newId(), newId()];
    await begin(one, id);
    const ended = recordOf(id, { state: 'ended', endReason: 'caller_hung_up', endedAt: 2_000 });
    const cost = { currency: 'EUR', amount: '0.02', isComplete: true, parts: [] };
    one.finished(ended);
    one.amended({ ...ended, cost: { ...cost, amount: '0.01' } }); // before Redis has answered
    await until(async () => (await other.record(id))?.cost?.amount === '0.01', 'the others know');
    expect(await other.isSettled(id)).toBe(false);
    one.amended({ ...ended, cost }, true);
    await until(() => other.isSettled(id), 'all of it is known');
    const whole = { ...ended, cost, runner: 'r0' };
    expect(await other.record(id)).toEqual(whole);
    expect((await other.records([])).over).toEqual([whole]);
    // one that Redis does not remember
    one.amended(recordOf(forgotten, { state: 'ended', endReason: 'caller_hung_up' }), true);
    one.amended({ ...ended, cost: { ...cost, amount: '0.03' } }, true);
    await until(async () => (await other.record(id))?.cost?.amount === '0.03', 'the others know');
    expect(await other.record(forgotten)).toBeUndefined();
    expect(await other.isSettled(forgotten)).toBe(false);
  });

  test('an empty Redis learns the calls again, and those that ended while it was away', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const [goesOn, ends] = [newId(), newId()];
    await begin(first, goesOn);
    await begin(first, ends);
    await second.take(goesOn, 'r0');
    second.changed(goesOn, () => keptOf(goesOn, { attempt: 2 }));
    await second.flush(goesOn);
    await redis.stop({ keeps: false });
    await expect(first.ownerOf(goesOn)).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    await expect(first.claim(newId())).rejects.toMatchObject({ code: 'VB_CLUSTER_UNREACHABLE' });
    first.finished(recordOf(ends, { state: 'ended', endReason: 'caller_hung_up' }));
    await redis.start();
    await Promise.all([first.check(), second.check()]);
    expect(await first.ownerOf(goesOn)).toBe('r1');
    expect(await first.kept(goesOn)).toEqual(keptOf(goesOn, { attempt: 2 }));
    expect(await second.endOf(ends)).toBe('caller_hung_up');
  });

  test('changes that follow each other are written down once, the last one', async () => {
    await using redis = await LinkedRedis.start();
    const [first, second] = await twoOn(redis);
    const id = newId();
    await first.claim(id);
    const script = jest.spyOn(redis.links[0] as NonNullable<(typeof redis.links)[0]>, 'script');
    for (let attempt = 1; attempt <= 50; attempt += 1) first.changed(id, () => keptOf(id, { attempt }));
    await until(async () => (await second.record(id))?.attempt === 50, 'the last one is written down');
    expect(script.mock.calls.length).toBeLessThan(3);
  });
});
