import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deferred } from '../../../src/base/async/deferred.js';
import { pause } from '../../../src/base/async/pause.js';
import type { VoicebotError } from '../../../src/base/errors.js';
import { silentLogger } from '../../../src/base/logger.js';
import { ClusterCoordination } from '../../../src/cluster/cluster-coordination.js';
import { SharedDoNotCall } from '../../../src/cluster/dialing/shared-do-not-call.js';
import type { JoinedCluster } from '../../../src/cluster/members/joined-cluster.js';
import type { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { lineOf } from '../../../src/runner/dialing/do-not-call/list-change.js';
import { DoNotCallFile } from '../../../src/runner/dialing/do-not-call/list-file.js';
import { until } from '../../e2e/processes.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';
import { SharedRunners } from './shared-runners.js';

const [A, B] = ['+12025550101', '+442079460958'] as const;
const REFUSED = { code: 'VB_DO_NOT_CALL' };
const AWAY = { code: 'VB_CLUSTER_UNREACHABLE' };
const REWRITE_MS = 300;

/** A runner of the cluster on a machine of its own. */
interface Machine {
  readonly id: string;
  readonly path: string;
  readonly list: SharedDoNotCall;
  readonly link: RedisLink;
}

class Machines implements AsyncDisposable {
  readonly runners: SharedRunners;
  readonly all = new Set<Machine>();
  readonly #home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
  #count = 0;

  constructor(server: RedisServer) {
    this.runners = new SharedRunners(server);
  }

  /** @param path of the list of a machine that was there before; default: a new machine */
  async start(path?: string): Promise<Machine> {
    const { redis: link, members } = await this.runners.join();
    this.#count += 1;
    const own = path ?? join(this.#home, `machine-${this.#count}`, 'list.ndjson');
    const list = new SharedDoNotCall({ cluster: { redis: link, members }, path: own, rewriteMs: REWRITE_MS });
    const machine = { id: members.ownId, path: own, list, link };
    this.all.add(machine);
    return machine;
  }

  async three(): Promise<[Machine, Machine, Machine]> {
    const some: [Machine, Machine, Machine] = [await this.start(), await this.start(), await this.start()];
    for (const machine of some) await until(() => isFree(machine, '+12025550199'), 'it goes by what Redis says');
    return some;
  }

  /** Its process is gone, and the others know. */
  async kill(machine: Machine): Promise<void> {
    this.all.delete(machine);
    this.runners.alive.delete(machine.id);
    await machine.list.close();
  }

  async empty(): Promise<void> {
    await this.runners.links.at(-1)?.run((redis) => redis.flushall());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.all].map(({ list }) => list.close()));
    this.runners[Symbol.dispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** Whether a runner dials a number: as the dialler asks, the last time at once before the carrier. @param pauseMs between its looks */
async function isFree({ list }: Machine, number: string, pauseMs = 0): Promise<boolean> {
  try {
    list.refuse(number);
    await list.check(number);
    if (pauseMs > 0) await pause(pauseMs);
    await list.check(number);
    return true;
  } catch (error) {
    const { code } = error as VoicebotError;
    if (code !== REFUSED.code && code !== AWAY.code) throw error;
    return false;
  }
}

/** From now on the answers to some scripts wait as the test says. */
function between(link: RedisLink, part: string, wait: (ask: () => Promise<unknown>) => Promise<unknown>): void {
  const script = link.script.bind(link);
  link.script = (text, ...rest) => {
    const ask = () => script(text, ...rest);
    return text.includes(part) ? wait(ask) : ask();
  };
}
const [TELLS, LOOKS_UP] = ['HSETNX', 'KEYS[3], ARGV[5]'] as const;

/** What the runner tells Redis of the list waits. @returns what resolves when it is about to, and what lets it go on */
function held(link: RedisLink) {
  const [begun, gate] = [deferred(), deferred()];
  between(link, TELLS, async (ask) => {
    begun.resolve();
    await gate.promise;
    return ask();
  });
  return { begun: begun.promise, goOn: () => gate.resolve() };
}

const has = ({ path }: Machine, number: string) => new DoNotCallFile(path).get(number) !== undefined;
const asked = (number: string) => ({ number, how: 'said', callId: 'out_1' }) as const;

describeWithRedis('the do-not-call list of a cluster', () => {
  let server: RedisServer;
  let machines: Machines;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(() => {
    machines = new Machines(server);
  });
  afterEach(async () => {
    await machines[Symbol.asyncDispose]();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a number is on the disk of every runner before that is confirmed', async () => {
    const [one, ...others] = await machines.three();
    expect(await isFree(one, A)).toBe(true);
    await one.list.add(asked(A));
    for (const { list, path } of others) {
      expect(() => list.refuse(A)).toThrow(expect.objectContaining(REFUSED));
      expect(new DoNotCallFile(path).get(A)).toMatchObject({ how: 'said', callId: 'out_1' });
    }
  });

  test('an emptied Redis and a lost machine forget nothing, and a new runner learns it', async () => {
    const [one, other, third] = await machines.three();
    await one.list.add(asked(A));
    await machines.kill(one);
    await machines.empty();
    expect([await isFree(other, A), await isFree(third, A)]).toEqual([false, false]);
    const late = await machines.start();
    await until(() => has(late, A), 'the new runner has it');
    await until(() => isFree(late, B), 'others may be called again');
    expect(await isFree(late, A)).toBe(false);
  });

  test('a number is on the disk of every runner before that is confirmed, also where Redis has just been emptied or a runner has just joined', async () => {
    const [one, ...others] = await machines.three();
    await machines.empty();
    await one.list.add(asked(A));
    expect(others.map((machine) => has(machine, A))).toEqual([true, true]);
    const late = await machines.start();
    await one.list.add(asked(B));
    expect([...others, late].map((machine) => has(machine, B))).toEqual([true, true, true]);
  });

  test('a runner that does not write it down is not waited for where another one has; where none has, it is not confirmed', async () => {
    const [one, other] = [await machines.start(), await machines.start()];
    await machines.runners.join(); // it is there, and has no list
    const askedAt = performance.now();
    await one.list.add(asked(A));
    expect(performance.now() - askedAt).toBeGreaterThan(2_500);
    expect(has(other, A)).toBe(true);
    await machines.kill(other);
    await expect(one.list.add(asked(B))).rejects.toMatchObject({
      ...AWAY,
      message: expect.stringContaining('no other runner has written the number down'),
    });
    const back = await machines.start(other.path);
    await until(() => has(back, B), 'others learn it all the same');
  }, 60_000);

  test('a runner that stops confirms nothing more', async () => {
    const one = await machines.start();
    await machines.runners.join();
    const adding = one.list.add(asked(A));
    adding.catch(() => {});
    await until(() => has(one, A), 'it is written down');
    await machines.kill(one);
    await expect(adding).rejects.toMatchObject(AWAY);
  });

  test('a new runner dials nothing while another one still writes again what an emptied Redis has lost', async () => {
    const [one, other] = [await machines.start(), await machines.start()];
    await one.list.add(asked(A));
    const { begun, goOn } = held(other.link);
    await machines.kill(one);
    await machines.empty();
    await begun;
    const late = await machines.start();
    const until_ = performance.now() + 4 * REWRITE_MS;
    while (performance.now() < until_) {
      expect([await isFree(late, A), await isFree(late, B)]).toEqual([false, false]);
      await pause(20);
    }
    goOn();
    await until(() => isFree(late, B), 'others may be called again');
    expect(await isFree(late, A)).toBe(false);
  });

  test('what a machine learns while it writes again what Redis has lost is told, too', async () => {
    const [one, other] = await machines.three();
    const { begun, goOn } = held(one.link);
    await machines.empty();
    await begun;
    await new DoNotCallFile(one.path).add([asked(A)]); // the command, on the machine of a runner
    expect(() => one.list.refuse(A)).toThrow(expect.objectContaining(REFUSED));
    goOn();
    await until(() => has(other, A), 'the others have it');
  });

  test('a runner that has stood still since Redis was asked asks again before it dials', async () => {
    const [one, other] = await machines.three();
    let looks = 0;
    between(one.link, LOOKS_UP, async (ask) => {
      looks += 1;
      const answer = await ask();
      if (looks === 1) {
        await other.list.add(asked(A));
        await pause(1_200);
      }
      return answer;
    });
    await expect(one.list.check(A)).rejects.toMatchObject(REFUSED);
    expect(looks).toBe(2);
  });

  test('a number that Redis does not take is logged, and told to the others when it does', async () => {
    const [, other] = await machines.three();
    const { redis, members } = await machines.runners.join();
    const logged: string[] = [];
    const logger = { ...silentLogger, error: (message: string) => void logged.push(message) };
    const stateDirectory = join(dirname(other.path), 'state');
    const list = new ClusterCoordination({ redis, members } as JoinedCluster).doNotCall({ stateDirectory }, logger);
    await until(
      () =>
        list.check(A).then(
          () => true,
          () => false,
        ),
      'it goes by what Redis says',
    );
    const limit = (bytes: number) => redis.run((client) => client.config('SET', 'maxmemory', bytes));
    await limit(1);
    await expect(list.add(asked(A))).rejects.toThrow('OOM');
    await until(() => logged.length > 0, 'it is logged');
    await limit(0);
    await until(() => has(other, A), 'the others have it');
    await list.close();
    expect(logged).toEqual(['the do-not-call list is not shared with the other runners']);
  });

  test('a machine that brings 200,000 numbers tells the others all of them', async () => {
    await using machines = new Machines(server);
    const other = await machines.start();
    const folder = mkdtempSync(join(tmpdir(), 'voicebot-many-'));
    const path = join(folder, 'list.ndjson');
    const numbers = Array.from({ length: 200_000 }, (_, index) => `+1202${5_550_000 + index}`);
    writeFileSync(path, numbers.map((number, at) => lineOf({ number, at, how: 'import' })).join(''));
    const { list } = await machines.start(path);
    expect(list.file.size).toBe(numbers.length);
    await until(() => other.list.file.size === numbers.length, 'the other machine has them all', 30_000);
    rmSync(folder, { recursive: true });
  });

  test('what was taken off is not brought back by a machine that has an old copy', async () => {
    const [one, other, third] = await machines.three();
    await one.list.add(asked(A));
    await machines.kill(third);
    await new DoNotCallFile(one.path).remove([A]); // the command, on the machine of a runner
    await until(() => isFree(other, A), 'all may call it again');
    const back = await machines.start(third.path);
    await until(() => isFree(back, A), 'it may, too');
    expect(await isFree(one, A)).toBe(true);
  });

  test('while Redis is away no runner dials and no number is confirmed; it is told when Redis is back', async () => {
    const [one, other] = await machines.three();
    await machines.runners.away({ keeps: false });
    await expect(one.list.check(B)).rejects.toMatchObject(AWAY);
    await expect(one.list.add(asked(A))).rejects.toMatchObject(AWAY);
    expect(() => one.list.refuse(A)).toThrow(expect.objectContaining(REFUSED));
    await machines.runners.back();
    await until(() => has(other, A), 'the others have it');
    await until(() => isFree(other, B), 'others may be called again');
    expect(await isFree(other, A)).toBe(false);
  }, 60_000);

  test('no number is dialled after it was confirmed, with runners that are killed, machines that are lost and a Redis that is emptied', async () => {
    await machines.three();
    const confirmed: string[] = [];
    const wrong: string[] = [];
    const [some] = [() => [...machines.all]];
    let isDone = false;
    const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
    const numberOf = (index: number) => `+1202${5_550_000 + index}`;
    let looks = 0;
    let dialled = 0;
    const dial = async () => {
      for (; !isDone; looks += 1) {
        // also those that are about to ask
        const next = numberOf(confirmed.length + Math.floor(Math.random() * 3));
        const number = pick([confirmed.length > 0 ? pick(confirmed) : next, confirmed.at(-1) ?? next, next, next]);
        const machine = pick(some());
        const isDialled = (await isFree(machine, number, Math.random() * 200)) && machines.all.has(machine);
        if (isDialled && confirmed.includes(number)) wrong.push(number);
        dialled += Number(isDialled);
        await pause(1);
      }
    };
    const disturb = async () => {
      for (let round = 0; !isDone; round += 1) {
        await pause(700);
        if (round % 3 === 0) await machines.empty();
        const victim = pick(some());
        await machines.kill(victim);
        await machines.start(round % 2 === 0 ? victim.path : undefined); // the machine is there again, or lost
      }
    };
    const ask = async (first: number) => {
      for (let index = first; index < 300; index += 3) {
        const number = numberOf(index);
        // as a person does, who is told that it could not be done
        for (;;) {
          const isOn = await pick(some())
            .list.add(asked(number))
            .then(
              () => true,
              () => false,
            );
          if (isOn) break;
          await pause(20);
        }
        confirmed.push(number);
      }
    };
    const others = [...Array.from({ length: 10 }, dial), disturb()];
    await Promise.all([ask(0), ask(1), ask(2)]);
    isDone = true;
    await Promise.all(others);
    expect(wrong).toEqual([]);
    expect(confirmed).toHaveLength(300);
    expect([looks, dialled].map((count) => count > 100)).toEqual([true, true]);
    await until(
      () => some().every(({ path }) => new DoNotCallFile(path).size === 300),
      'every machine has all',
      20_000,
    );
  }, 180_000);
});
