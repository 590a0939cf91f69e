import { once } from 'node:events';
import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { SharedRequests } from '../../../src/cluster/dialing/shared-requests.js';
import type { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';
import { SharedRunners } from './shared-runners.js';

const AWAY = { code: 'VB_CLUSTER_UNREACHABLE' };

let server: RedisServer;
let runners: SharedRunners;
/** Calls that were dialled. */
let dialled: number;
const asked: SharedRequests<number>[] = [];

async function join(now = () => performance.now()): Promise<SharedRequests<number>> {
  const cluster = await runners.join();
  const requests = new SharedRequests<number>({ cluster, secret: 'of the account', rewriteMs: 200, now });
  asked.push(requests);
  return requests;
}

/** Until it goes by what Redis says. */
const settled = (requests: SharedRequests<number>) =>
  until(async () => {
    const key = `ready ${Math.random()}`;
    return requests
      .run(key, 'any', async () => 0)
      .then(
        () => true,
        () => false,
      );
  }, 'a runner is ready');

async function two(): Promise<[SharedRequests<number>, SharedRequests<number>]> {
  const pair = [await join(), await join()] as const;
  for (const requests of pair) await settled(requests);
  return [...pair];
}

const dial = async () => {
  dialled += 1;
  return dialled;
};
/** A call that is not dialled before the test says so. */
function held() {
  const begun = deferred();
  const gate = deferred();
  const work = () => {
    begun.resolve();
    return gate.promise.then(dial);
  };
  return { work, begun: begun.promise, goOn: () => gate.resolve() };
}

const uncertain = () => new VoicebotError('VB_CALL_UNCERTAIN', 'its answer got lost', { hint: 'look' });

describeWithRedis('a request that comes to several runners of a cluster', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(() => {
    dialled = 0;
    runners = new SharedRunners(server);
  });
  afterEach(async () => {
    await Promise.all(asked.splice(0).map((requests) => requests.close()));
    runners[Symbol.dispose]();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('is carried out once, and all get its outcome', async () => {
    const pair = await two();
    const { work, begun, goOn } = held();
    const all = Array.from({ length: 40 }, (_, index) => pair[index % 2]?.run('key', 'a', work));
    await begun;
    goOn();
    expect(await Promise.all(all)).toEqual(Array(40).fill(1));
    expect(await pair[1].run('key', 'a', dial)).toBe(1);
  });

  test('without a key is carried out each time, also while Redis is away', async () => {
    const [first, second] = await two();
    await runners.away();
    expect([await first.run(undefined, 'a', dial), await second.run(undefined, 'a', dial)]).toEqual([1, 2]);
    await runners.back();
  });

  test('is a conflict when it is another with the same key, running or settled', async () => {
    const [first, second] = await two();
    const { work, begun, goOn } = held();
    const running = first.run('key', 'a', work);
    await begun;
    for (const requests of [first, second]) {
      await expect(requests.run('key', 'b', dial)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
    }
    goOn();
    await running;
    for (const requests of [first, second]) {
      await expect(requests.run('key', 'b', dial)).rejects.toMatchObject({ code: 'VB_REQUEST_CONFLICT' });
    }
    expect(await second.run('other', 'b', dial)).toBe(2);
  });

  test('may be tried again at another runner when it failed, and not when a call may have been placed', async () => {
    const [first, second] = await two();
    const refused = new VoicebotError('VB_DIAL_LIMIT');
    await expect(first.run('refused', 'a', () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await second.run('refused', 'a', dial)).toBe(1);
    await expect(first.run('lost', 'a', () => Promise.reject(uncertain()))).rejects.toMatchObject(uncertain());
    for (const requests of [second, first]) {
      await expect(requests.run('lost', 'a', dial)).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN', hint: 'look' });
    }
    expect(dialled).toBe(1);
  });

  test('is carried out by the runner that waits when the first one could not', async () => {
    const [first, second] = await two();
    const { work, begun, goOn } = held();
    const failing = first.run('key', 'a', async () => {
      await work();
      throw new VoicebotError('VB_CARRIER_UNREACHABLE');
    });
    await begun;
    const waiting = second.run('key', 'a', dial);
    goOn();
    await expect(failing).rejects.toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    expect(await waiting).toBe(2);
  });

  /** The first of two runners carries a request out; the second sees the time of `clock`. */
  async function runningAtFirst() {
    const clock = { ms: 0 };
    const first = await join();
    const second = await join(() => clock.ms);
    await settled(first);
    await settled(second);
    const { work, begun, goOn } = held();
    const running = first.run('key', 'a', work);
    await begun;
    return { clock, second, running, goOn };
  }

  test('is not carried out again when the runner that began is gone', async () => {
    const { clock, second, running, goOn } = await runningAtFirst();
    const waiting = second.run('key', 'a', dial);
    const told = jest.fn();
    waiting.catch(told);
    clock.ms += 20_000; // it is there, and still at it
    runners.alive.delete('runner-1');
    await until(() => {
      clock.ms += 100;
      return told.mock.calls.length > 0;
    }, 'it is given up');
    await expect(waiting).rejects.toMatchObject({
      code: 'VB_CALL_UNCERTAIN',
      message: expect.stringContaining('the runner that was asked first is gone'),
    });
    goOn();
    await running;
    expect(dialled).toBe(1);
  });

  test('is waited for as long as a request takes, and no longer', async () => {
    const { clock, second, running, goOn } = await runningAtFirst();
    const waiting = second.run('key', 'a', dial).catch((error: unknown) => error);
    await until(async () => {
      clock.ms += 1_000;
      return clock.ms > 31_000;
    }, 'the time is over');
    expect(await waiting).toMatchObject({ code: 'VB_CALL_UNCERTAIN', hint: expect.stringContaining('the same key') });
    goOn();
    await running;
    expect(await second.run('key', 'a', dial)).toBe(1);
  });

  test('is refused while Redis is away, and carried out when it is back', async () => {
    const [first, second] = await two();
    await runners.away();
    await expect(first.run('key', 'a', dial)).rejects.toMatchObject(AWAY);
    await runners.back();
    for (const requests of [first, second]) await settled(requests);
    expect(await second.run('key', 'a', dial)).toBe(1);
  });

  test('is known for what it came to, though Redis was away meanwhile and has lost everything', async () => {
    const [first, second] = await two();
    expect(await first.run('before', 'a', dial)).toBe(1);
    const [short, long] = [held(), held()];
    const running = first.run('meanwhile', 'a', short.work);
    const stillRunning = first.run('after', 'a', long.work);
    await Promise.all([short.begun, long.begun]);
    await runners.away({ keeps: false });
    short.goOn();
    expect(await running).toBe(2);
    await runners.back();
    for (const requests of [first, second]) await settled(requests);
    expect(await second.run('before', 'a', dial)).toBe(1);
    expect(await second.run('meanwhile', 'a', dial)).toBe(2);
    const waiting = second.run('after', 'a', dial);
    long.goOn();
    expect(await Promise.all([stillRunning, waiting])).toEqual([3, 3]);
  });

  test('leaves no claim behind that a Redis that stood still made for nobody', async () => {
    const [first, second] = await two();
    runners.server.freeze();
    const up = once(runners.links[0] as RedisLink, 'up');
    await expect(first.run('key', 'a', dial)).rejects.toMatchObject(AWAY);
    runners.server.thaw();
    await up;
    await settled(second);
    expect(await second.run('key', 'a', dial)).toBe(1);
  });

  test('leaves nothing in Redis that tells the key or what was asked for', async () => {
    const [first] = await two();
    await first.run('order-of-somebody', '+12025550101', dial);
    const dump = await runners.dump();
    expect(dump).toContain('fingerprint');
    expect(dump).not.toMatch(/order-of-somebody|2025550101/);
  });
});
