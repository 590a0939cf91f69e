import { once } from 'node:events';
import { deferred } from '../../../src/base/async/deferred.js';
import type { VoicebotError } from '../../../src/base/errors.js';
import type { CallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { SharedDialLimits, type SharedDialLimitsOptions } from '../../../src/cluster/dialing/shared-dial-limits.js';
import type { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { newCallId } from '../../../src/runner/calls/life/call-registry.js';
import type { DialLimitError, DialSlot } from '../../../src/runner/dialing/dial-limits.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';
import { SharedRunners } from './shared-runners.js';

const ANY = { perMinute: 10_000, atOnce: 10_000, secondsPerNumber: 0 };
const AWAY = { code: 'VB_CLUSTER_UNREACHABLE' };
const LIMIT = { code: 'VB_DIAL_LIMIT' };

const waitOf = (error: unknown) => (error as { retryAfterS: number }).retryAfterS;

type Limits = Partial<SharedDialLimitsOptions['limits']>;
type More = Partial<Pick<SharedDialLimitsOptions, 'slotMs' | 'minutesPerCall' | 'now' | 'money'>>;

/** How long runners go by nothing after Redis was started here, in milliseconds. */
const REWRITE_MS = 300;

let server: RedisServer;
const gates: SharedDialLimits[] = [];

async function join(runners: SharedRunners, limits: Limits, more: More = {}): Promise<SharedDialLimits> {
  const cluster = await runners.join();
  const shared = { secret: 'of the account', slotMs: 60_000, minutesPerCall: 15, rewriteMs: REWRITE_MS };
  const gate = new SharedDialLimits({ cluster, limits: { ...ANY, ...limits }, ...shared, ...more });
  gates.push(gate);
  return gate;
}

/** Runners that have dialled before. */
async function together(count: number, limits: Limits, more: More = {}) {
  const runners = new SharedRunners(server);
  const some: SharedDialLimits[] = [];
  for (let index = 0; index < count; index += 1) some.push(await join(runners, limits, more));
  await settled(runners, some);
  return { runners, gates: some, [Symbol.dispose]: () => runners[Symbol.dispose]() };
}

/** Until each of them goes by what Redis says, and what that took is given back. */
async function settled(runners: SharedRunners, some: readonly SharedDialLimits[]): Promise<void> {
  for (const gate of some) {
    const callId = newCallId();
    const isSettled = async () => {
      try {
        (await gate.admit(SPARE, callId)).undo();
        return true;
      } catch (error) {
        return (error as VoicebotError).code === LIMIT.code;
      }
    };
    await until(isSettled, 'all have written');
    await until(async () => !(await runners.dump()).includes(callId), 'it is given back');
  }
}

const [A, B, C, SPARE] = ['+12025550101', '+12025550102', '+12025550103', '+12025550109'] as const;
const numbered = (index: number) => `+1202555${String(index).padStart(4, '0')}`;
const admit = (gate: SharedDialLimits | undefined, number: string = A) =>
  (gate as SharedDialLimits).admit(number, newCallId());

/** Many at once, over all runners in turn. @returns the slots of those that were admitted, and what the others were told */
async function race(gates: readonly SharedDialLimits[], count: number, numberOf = numbered) {
  const asked = Array.from({ length: count }, (_, index) => admit(gates[index % gates.length], numberOf(index)));
  const outcomes = await Promise.allSettled(asked);
  return {
    slots: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}

describeWithRedis('the limits that the runners of a cluster share', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(gates.splice(0).map((gate) => gate.close()));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    ['in a minute', { perMinute: 7 }, numbered, 'at most 7 calls a minute'],
    ['at once', { atOnce: 5 }, numbered, 'at most 5 dialled calls at once'],
    ['to one number', { secondsPerNumber: 60 }, () => A, 'this number may be called once in 60 s'],
  ])(
    'of 200 calls that three runners would dial %s, no more are admitted than may be',
    async (_what, limits: Limits, of, words) => {
      using cluster = await together(3, limits);
      const { slots, refusals } = await race(cluster.gates, 200, of);
      expect(slots).toHaveLength(limits.perMinute ?? limits.atOnce ?? 1);
      for (const error of refusals) expect(error).toMatchObject({ ...LIMIT, message: expect.stringContaining(words) });
    },
  );

  test('of the minutes of a day, no more are kept for calls than there are', async () => {
    using cluster = await together(3, { minutesPerDay: 50 });
    const { slots, refusals } = await race(cluster.gates, 60);
    expect(slots).toHaveLength(3);
    const words = '45 of the 50 minutes that may be dialled today are used or kept for calls, and a call may take 15';
    expect(refusals[0]).toMatchObject({ ...LIMIT, message: expect.stringContaining(words) });
    expect(refusals[0].retryAfterS).toBeLessThanOrEqual(24 * 3_600);
    slots[0]?.release(60_001); // two minutes were begun: 32 are used
    await until(
      async () => (await race([cluster.gates[1] as SharedDialLimits], 1)).slots.length > 0,
      'minutes are free',
    );
    await expect(admit(cluster.gates[2])).rejects.toThrow('47 of the 50 minutes');
  });

  describe('of the money of a day', () => {
    const carried = (number: string) => (number.startsWith('+1') ? 100_000 : undefined);
    const most = { carried, ofServices: 0, see: () => {} };
    const money = { perDay: 350_000, currency: 'EUR', most };
    const over = (id: CallId, amount: string): CallRecord => ({
      ...{ id, direction: 'outbound', to: A, state: 'ended', attempt: 1, startedAt: 1, answeredAt: 2, endedAt: 3 },
      cost: { currency: 'EUR', amount, isComplete: true, parts: [] },
    });

    test('no more is kept for calls than there is, and each runner may tell what a call has cost', async () => {
      using cluster = await together(3, {}, { money });
      const [first, second, third] = cluster.gates as [SharedDialLimits, SharedDialLimits, SharedDialLimits];
      const ids = [newCallId(), newCallId(), newCallId()] as const;
      await Promise.all([first.admit(A, ids[0]), second.admit(B, ids[1]), third.admit(C, ids[2])]);
      await expect(first.admit(A, newCallId())).rejects.toMatchObject({
        ...LIMIT,
        message: expect.stringContaining('€0.30 of the €0.35 that dialled calls may cost today'),
        retryAfterS: 15, // the three may give back what is kept for them
      });
      await expect(first.admit('+493012345678', newCallId())).rejects.toMatchObject(LIMIT);
      second.settled(over(ids[0], '0.01')); // the call has moved
      const again = newCallId();
      await admitted(() => third.admit(A, again));
      third.settled(over(ids[1], '0.2')); // more than was kept for it
      await third.close();
      await expect(first.admit(A, newCallId())).rejects.toThrow('€0.41 of the €0.35');
    });

    test('what calls have cost is waited for until midnight, and minutes that they took too', async () => {
      using cluster = await together(2, { minutesPerDay: 30 }, { money });
      const [first, second] = cluster.gates as [SharedDialLimits, SharedDialLimits];
      const [dear, long] = [newCallId(), newCallId()];
      await first.admit(A, dear);
      first.settled(over(dear, '0.3'));
      await first.close();
      const untilMidnight = { ...LIMIT, retryAfterS: expect.any(Number) };
      const refused = await second.admit(B, newCallId()).catch((error: unknown) => error);
      expect(refused).toMatchObject({ ...untilMidnight, message: expect.stringContaining('€0.30 of the €0.35') });
      expect(waitOf(refused)).toBeGreaterThan(15);
      second.settled(over(dear, '0'));
      await second.close();
      const slot = await second.admit(B, long);
      const tooMany = await first.admit(C, newCallId()).catch((error: unknown) => error);
      expect(tooMany).toMatchObject({ message: expect.stringContaining('30 of the 30 minutes'), retryAfterS: 15 });
      slot.release(14 * 60_000 + 1);
      first.slotOf(dear).release(60_000);
      await Promise.all([first.close(), second.close()]);
      expect(waitOf(await first.admit(C, newCallId()).catch((error: unknown) => error))).toBeGreaterThan(15);
    });

    test('a Redis whose clock was put back by days admits no call, since it cannot say what this day has cost', async () => {
      using cluster = await together(1, {}, { money });
      const [only] = cluster.gates as [SharedDialLimits];
      (await only.admit(A, newCallId())).undo();
      await only.close();
      await cluster.runners.links[0]?.run(async (redis) => {
        for (const key of await redis.keys('*money*')) {
          const day = Number(await redis.hget(key, 'day'));
          if (day > 0) await redis.hset(key, 'day', day + 3);
        }
      });
      const refused = await only.admit(A, newCallId()).catch((error: unknown) => error);
      expect(refused).toMatchObject({ ...LIMIT, message: expect.stringContaining('€0.35 of the €0.35') });
    });

    test('a call for which nothing was kept counts with what it has cost', async () => {
      const free = { ...money, most: { ...most, carried: () => 0 } };
      using cluster = await together(1, {}, { money: free });
      const [only] = cluster.gates as [SharedDialLimits];
      const id = newCallId();
      await only.admit(A, id);
      only.settled(over(id, '0.4'));
      await only.close();
      await expect(only.admit(A, newCallId())).rejects.toThrow('€0.40 of the €0.35');
    });

    test('what was never placed costs nothing, and a Redis that has lost everything is told again', async () => {
      using cluster = await together(2, {}, { money });
      const { gates, runners } = cluster;
      const [first, second] = gates as [SharedDialLimits, SharedDialLimits];
      (await first.admit(A, newCallId())).undo();
      const [live, settledId] = [newCallId(), newCallId()];
      await admitted(() => first.admit(A, live));
      await second.admit(B, settledId);
      second.settled(over(settledId, '0.16'));
      await runners.restart({ keeps: false });
      await settled(runners, gates);
      await expect(first.admit(A, newCallId())).rejects.toThrow('€0.26 of the €0.35');
    });
  });

  test('says how long to wait, as a runner that is alone does', async () => {
    using cluster = await together(2, { perMinute: 2, secondsPerNumber: 40 });
    const [first, second] = cluster.gates;
    await admit(first, A);
    const number = await admit(second, A).catch((error: unknown) => error);
    expect(number).toMatchObject({ ...LIMIT, hint: expect.stringContaining('lower VOICEBOT_DIAL_SECONDS_PER_NUMBER') });
    expect([39, 40]).toContain((number as DialLimitError).retryAfterS);
    await admit(second, B);
    const minute = await admit(first, C).catch((error: unknown) => error);
    expect([59, 60]).toContain((minute as DialLimitError).retryAfterS);
  });

  test.each([{ perMinute: 0 }, { atOnce: 0 }])('a limit of 0 allows none: %j', async (limits) => {
    using cluster = await together(1, limits);
    await expect(admit(cluster.gates[0])).rejects.toMatchObject({ ...LIMIT, retryAfterS: undefined });
  });

  test('a call that is over leaves its place to any runner, whoever says so, and says so again', async () => {
    using cluster = await together(2, { atOnce: 1 });
    const [first, second] = cluster.gates as [SharedDialLimits, SharedDialLimits];
    const callId = newCallId();
    await first.admit(A, callId);
    await expect(admit(second, B)).rejects.toThrow('at once');
    second.slotOf(callId).release();
    second.slotOf(callId).release();
    const third = await admitted(() => admit(second, B));
    first.slotOf(callId).release();
    await first.close();
    await expect(admit(first, C)).rejects.toThrow('at once');
    third.release();
    await admitted(() => admit(first, C));
  });

  test('a call that was never placed counts for nothing', async () => {
    using cluster = await together(2, { perMinute: 1, atOnce: 1, secondsPerNumber: 60, minutesPerDay: 15 });
    const [first, second] = cluster.gates;
    const slot = await admit(first);
    slot.undo();
    slot.undo();
    slot.release();
    const again = await admitted(() => admit(second));
    slot.undo();
    await first?.close();
    await expect(admit(first)).rejects.toThrow('this number');
    again.release();
    again.undo();
    await admitted(() => admit(first));
  });

  test('the place of a call whose end nobody tells runs out by itself', async () => {
    using cluster = await together(2, { atOnce: 1 }, { slotMs: 2_000 });
    await admit(cluster.gates[0]);
    await expect(admit(cluster.gates[1], B)).rejects.toThrow('at once');
    await admitted(() => admit(cluster.gates[1], B));
  });

  test('a runner whose clock runs wrong changes nothing', async () => {
    using runners = new SharedRunners(server);
    const clock = { ms: 0 };
    const right = await join(runners, { perMinute: 1, atOnce: 9 });
    const wrong = await join(runners, { perMinute: 1, atOnce: 9 }, { now: () => clock.ms });
    await settled(runners, [right, wrong]);
    await admit(wrong, A);
    clock.ms += 3_600_000;
    await expect(admit(right, B)).rejects.toThrow('a minute');
    await expect(admit(wrong, B)).rejects.toThrow('a minute');
  });

  test('nothing in Redis tells which numbers were called', async () => {
    using cluster = await together(1, { secondsPerNumber: 60 });
    await admit(cluster.gates[0], A);
    const dump = await cluster.runners.dump();
    expect(dump).toContain('dial:number:');
    expect(dump).not.toContain(A.slice(2));
  });

  test('nobody is dialled, and what a call gave back meanwhile it has given back', async () => {
    using cluster = await together(2, { atOnce: 1 });
    const [first, second] = cluster.gates;
    const slot = await admit(first);
    await cluster.runners.away();
    await expect(admit(first, B)).rejects.toMatchObject(AWAY);
    slot.release();
    await cluster.runners.back();
    await admitted(() => admit(second, B));
  });

  test('what a Redis that stood still counted for nobody is given back', async () => {
    using cluster = await together(1, { atOnce: 1, secondsPerNumber: 60 });
    const [only] = cluster.gates;
    const link = cluster.runners.links[0] as RedisLink;
    cluster.runners.server.freeze();
    const up = once(link, 'up');
    await expect(admit(only)).rejects.toMatchObject(AWAY);
    cluster.runners.server.thaw();
    await up;
    await admitted(() => admit(only));
  });

  test('a Redis that has lost everything is told again: by each runner what it was admitted for', async () => {
    const limits = { perMinute: 4, atOnce: 4, secondsPerNumber: 3_600, minutesPerDay: 60 };
    using cluster = await together(3, limits);
    const { gates, runners } = cluster;
    const slots = await Promise.all(gates.map((gate, index) => admit(gate, numbered(index))));
    await runners.restart({ keeps: false });
    await expect(admit(gates[0], C)).rejects.toMatchObject({
      ...AWAY,
      hint: expect.stringMatching(/try again in \d s/),
    });
    await settled(runners, gates);
    await expect(admit(gates[1], numbered(0))).rejects.toThrow('this number');
    const { slots: more } = await race(gates, 30, (index) => numbered(10 + index));
    expect(more).toHaveLength(1);
    for (const slot of [...slots, ...more]) slot.release();
    await Promise.all(gates.map((gate) => gate.close()));
    await expect(admit(gates[2], A)).rejects.toThrow('at most 4 calls a minute');
  });

  test('a Redis that is emptied as it runs is noticed', async () => {
    using cluster = await together(2, { atOnce: 2 });
    const { gates, runners } = cluster;
    await admit(gates[0], A);
    await admit(gates[1], B);
    await runners.links[0]?.run((redis) => redis.flushall());
    await expect(admit(gates[0], C)).rejects.toMatchObject(AWAY);
    await until(async () => (await refusal(gates[0])).code === LIMIT.code, 'all have written again');
    await expect(admit(gates[0], C)).rejects.toThrow('at once');
  });

  test('a runner that others know is waited for until it has written, and no longer than it is there', async () => {
    using cluster = await together(2, { atOnce: 2 });
    const { gates, runners } = cluster;
    await admit(gates[1], B);
    await admit(gates[0], A);
    runners.links[1]?.close(); // alive, and cut off from Redis
    const [first] = runners.links;
    const down = once(first as RedisLink, 'down');
    await runners.server.stop({ keeps: false });
    await down;
    const up = once(first as RedisLink, 'up');
    await runners.server.start();
    await up;
    await until(
      async () => (await refusal(gates[0])).message.includes('it has lost what it knew'),
      'the other is awaited',
    );
    runners.alive.delete('runner-2');
    await admit(gates[0], C);
  });

  test('calls that were taken over count on after it', async () => {
    using cluster = await together(2, { atOnce: 1 });
    const [first, second] = cluster.gates as [SharedDialLimits, SharedDialLimits];
    const callId = newCallId();
    await first.admit(A, callId);
    const slot = second.slotOf(callId);
    await first.close();
    cluster.runners.alive.delete('runner-1');
    await cluster.runners.restart({ keeps: false });
    await settled(cluster.runners, [second]);
    await expect(admit(second, B)).rejects.toThrow('at once');
    slot.release();
    await admitted(() => admit(second, B));
  });

  test.each([true, false])(
    'a call that another runner goes on with is counted by that one alone (Redis keeps what it knew: %s)',
    async (keeps) => {
      using cluster = await together(2, { atOnce: 1, minutesPerDay: 45 }, { minutesPerCall: 15 });
      const [first, second] = cluster.gates as [SharedDialLimits, SharedDialLimits];
      const moved = async () => {
        const callId = newCallId();
        await admitted(() => first.admit(A, callId));
        const place = JSON.parse(JSON.stringify(first.placeOf(callId))); // as it travels
        const slot = second.slotOf(callId, place);
        first.letGo(callId);
        return slot;
      };
      (await moved()).release(60_000);
      const goesOn = await moved();
      await cluster.runners.restart({ keeps });
      await settled(cluster.runners, cluster.gates);
      await expect(admit(first, B)).rejects.toThrow('at most 1 dialled calls at once');
      goesOn.release(120_000);
      for (const gate of [first, second]) (await admitted(() => admit(gate, B))).release(15 * 60_000);
      await expect(admit(second, C)).rejects.toThrow('33 of the 45 minutes');
    },
  );

  test('are never exceeded, however often Redis ends and comes back empty while calls go on', async () => {
    using cluster = await together(3, { atOnce: 3 });
    const { gates, runners } = cluster;
    const live = new Set<DialSlot>();
    let isOver = false;
    let answers = 0;
    let most = 0;
    let end = deferred();
    const dialling = gates.map(async (gate) => {
      for (let call = 0; !isOver; call += 1) {
        const { slots, refusals } = await race([gate], 1, () => numbered(call));
        const [slot] = slots;
        if (refusals[0]?.code !== AWAY.code) answers += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (!slot) continue;
        live.add(slot);
        most = Math.max(most, live.size);
        const hangUp = () => {
          live.delete(slot);
          slot.release();
        };
        if (call % 2 === 0) void end.promise.then(hangUp);
        else hangUp();
      }
    });
    for (const keeps of [false, true, false]) {
      await until(() => live.size > 1, 'calls go on');
      await runners.restart({ keeps });
      answers = 0;
      await until(() => answers > 50, 'the runners have asked for more');
      end.resolve();
      end = deferred();
    }
    isOver = true;
    await Promise.all(dialling);
    end.resolve();
    expect(most).toBe(3);
  });
});

/** Asks until there is a place: what another runner gives back is on its way. */
async function admitted(ask: () => Promise<DialSlot>): Promise<DialSlot> {
  let slot: DialSlot | undefined;
  await until(async () => {
    slot = await ask().catch(() => undefined);
    return slot !== undefined;
  }, 'the call is admitted');
  return slot as DialSlot;
}

async function refusal(gate: SharedDialLimits | undefined): Promise<VoicebotError> {
  const [error] = (await race([gate as SharedDialLimits], 1, () => C)).refusals;
  if (!error) throw new Error('was admitted');
  return error;
}
