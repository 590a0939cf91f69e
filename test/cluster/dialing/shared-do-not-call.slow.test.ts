import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../../src/base/async/pause.js';
import type { VoicebotError } from '../../../src/base/errors.js';
import { SharedDoNotCall } from '../../../src/cluster/dialing/shared-do-not-call.js';
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
    const cluster = await this.runners.join();
    this.#count += 1;
    const own = path ?? join(this.#home, `machine-${this.#count}`, 'list.ndjson');
    const list = new SharedDoNotCall({ cluster, path: own, rewriteMs: REWRITE_MS });
    const machine = { id: cluster.members.ownId, path: own, list };
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

/** Whether a runner would dial a number now: as the dialler asks, the last time at once before the carrier. */
async function isFree({ list }: Machine, number: string): Promise<boolean> {
  try {
    list.refuse(number);
    await list.check(number);
    list.refuse(number);
    return true;
  } catch (error) {
    const { code } = error as VoicebotError;
    if (code !== REFUSED.code && code !== AWAY.code) throw error;
    return false;
  }
}

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
    await until(() => new DoNotCallFile(late.path).get(A) !== undefined, 'the new runner has it');
    await until(() => isFree(late, B), 'others may be called again');
    expect(await isFree(late, A)).toBe(false);
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
    await until(() => new DoNotCallFile(other.path).get(A) !== undefined, 'the others have it');
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
    let looks = 0;
    const dial = async () => {
      while (!isDone) {
        const number = confirmed.length > 0 && pick([pick(confirmed), confirmed.at(-1) as string]);
        const machine = pick(some());
        if (number && (await isFree(machine, number)) && machines.all.has(machine)) wrong.push(number);
        looks += 1;
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
        const number = `+1202${5_550_000 + index}`;
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
    const others = [dial(), dial(), disturb()];
    await Promise.all([ask(0), ask(1), ask(2)]);
    isDone = true;
    await Promise.all(others);
    expect(wrong).toEqual([]);
    expect(confirmed).toHaveLength(300);
    expect(looks).toBeGreaterThan(100);
    await until(
      () => some().every(({ path }) => new DoNotCallFile(path).size === 300),
      'every machine has all',
      20_000,
    );
  }, 180_000);
});
