import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../src/base/errors.js';
import { SharedDoNotCall } from '../../src/cluster/dialing/shared-do-not-call.js';
import type { Cluster } from '../../src/cluster/members/cluster.js';
import type { RedisLink } from '../../src/cluster/redis/redis-link.js';
import { DoNotCallFile } from '../../src/runner/dialing/do-not-call/list-file.js';
import { SharedRunners } from '../../test/cluster/dialing/shared-runners.js';
import { hasRedis, RedisServer } from '../../test/cluster/redis-server.js';
import { atMost, type Figure, ms } from '../figure.js';
import { MissingProgram } from '../missing-program.js';

const numberOf = (index: number) => `+1${2_020_000_000 + index}`;
const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)] as T;
const DISTURBED_MS = 90_000;
const DISTURBED_EVERY_MS = 7_500;
/** What a dialler does at most between its looks: the other runners are told of the call, a room is opened. */
const BETWEEN_LOOKS_MS = 400;
const DIALLERS = 16;
const CALLEES = 3;
const CATCH_UP_MS = 300_000;

/** A runner on a machine of its own. */
interface Machine {
  readonly id: string;
  readonly path: string;
  readonly link: RedisLink;
  readonly list: SharedDoNotCall;
  /** Whether it has not been killed. */
  isThere: boolean;
}

class Machines {
  readonly #runners: SharedRunners;
  readonly #home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
  readonly #all: Machine[] = [];
  #count = 0;

  constructor(server: RedisServer) {
    this.#runners = new SharedRunners(server);
  }

  get all(): Machine[] {
    return this.#all.filter(({ isThere }) => isThere);
  }

  newPath(): string {
    this.#count += 1;
    return join(this.#home, String(this.#count), 'list.ndjson');
  }

  async start(path = this.newPath()): Promise<void> {
    const { redis: link, members } = await this.#join();
    const list = new SharedDoNotCall({ cluster: { redis: link, members }, path });
    this.#all.push({ id: members.ownId, path, link, list, isThere: true });
  }

  /** All runners share this process, and one that tells Redis much keeps the others from it. */
  async #join(): Promise<Cluster> {
    for (;;) {
      try {
        return await this.#runners.join();
      } catch (error) {
        if ((error as VoicebotError).code !== 'VB_CLUSTER_UNREACHABLE') throw error;
      }
    }
  }

  /** Its process is gone, and so is its disk where the machine is lost. */
  async kill(machine: Machine, isLost: boolean): Promise<void> {
    machine.isThere = false;
    this.#runners.alive.delete(machine.id);
    machine.link.close();
    await machine.list.close();
    if (isLost) rmSync(dirname(machine.path), { recursive: true, force: true });
  }

  async emptyRedis(): Promise<void> {
    while (await failureOf(pick(this.all).link.run((redis) => redis.flushall()))) await delay(50);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ list }) => list.close()));
    this.#runners[Symbol.dispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** What a look or an addition fails with; undefined where it does not. */
async function failureOf(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    return error instanceof VoicebotError ? error.code : (error as Error).name;
  }
}

async function until(condition: () => boolean, limitMs: number): Promise<void> {
  const lateAt = performance.now() + limitMs;
  while (!condition() && performance.now() < lateAt) await delay(100);
}

/** A do-not-call list of as many numbers, in a file, and in a cluster of three whose Redis is emptied, and whose runners are killed and machines lost. */
export async function* doNotCall(count = 100_000): AsyncGenerator<Figure> {
  if (!hasRedis) throw new MissingProgram('redis-server');
  const server = await RedisServer.start();
  const machines = new Machines(server);
  try {
    const path = machines.newPath();
    const numbers = Array.from({ length: count }, (_, index) => ({ number: numberOf(index), how: 'import' as const }));
    await new DoNotCallFile(path).add(numbers);
    const startedAt = performance.now();
    const file = new DoNotCallFile(path);
    if (file.size !== count) throw new Error(`${file.size} of ${count} numbers are there`);
    const loadedMs = performance.now() - startedAt;
    for (let n = 0; n < 100_000; n += 1) file.get(numberOf(n % count));
    yield { name: `loading a list of ${count} numbers`, ours: ms(loadedMs), ...atMost(1_000, loadedMs, ' ms') };
    yield { name: 'a look-up', ours: ms((performance.now() - startedAt - loadedMs) / 100_000) };

    await machines.start(path);
    for (const _ of [2, 3]) await machines.start();
    const joinedAt = performance.now();
    const haveAll = (size: number) => machines.all.every(({ list }) => list.file.size === size);
    await until(() => haveAll(count), CATCH_UP_MS);
    yield { name: 'until all three runners have it on their disks', ours: ms(performance.now() - joinedAt) };
    yield* disturbed(machines, count);
  } finally {
    await machines.close();
    await server[Symbol.asyncDispose]();
  }
}

async function* disturbed(machines: Machines, count: number): AsyncGenerator<Figure> {
  const confirmed = Array.from({ length: count }, (_, index) => numberOf(index));
  const isConfirmed = new Set(confirmed);
  const adding = new Set<Machine>();
  const took: number[] = [];
  let asked = count;
  const seen = { looks: 0, dialled: 0, wrong: 0, refusedLater: 0, byRedisAlone: 0 };
  const done = { emptied: 0, killed: 0, lost: 0, whileAdding: 0, failed: 0 };
  const endAt = performance.now() + DISTURBED_MS;
  const isOver = () => performance.now() > endAt;

  // as the dialler does: when the call is admitted, and right before the provider is asked
  const dial = async () => {
    for (; !isOver(); await delay(1)) {
      const machine = pick(machines.all);
      const { list } = machine;
      const isAboutToAsk = Math.random() < 0.7;
      const number = isAboutToAsk ? numberOf(asked - CALLEES + Math.floor(Math.random() * 5)) : pick(confirmed);
      seen.looks += 1;
      if (await failureOf(list.check(number))) continue;
      await delay(Math.random() * BETWEEN_LOOKS_MS);
      if (!machine.isThere) continue;
      const isOnDisk = list.file.get(number) !== undefined;
      const failure = await failureOf(list.check(number));
      if (failure === 'VB_DO_NOT_CALL') {
        seen.refusedLater += 1;
        seen.byRedisAlone += Number(!isOnDisk);
      }
      if (failure || !machine.isThere) continue;
      seen.dialled += 1;
      if (isConfirmed.has(number)) seen.wrong += 1;
    }
  };
  const add = async (number: string): Promise<boolean> => {
    const machine = pick(machines.all);
    adding.add(machine);
    const failure = await failureOf(machine.list.add({ number, how: 'said' }));
    adding.delete(machine);
    if (failure && machine.isThere) done.failed += 1;
    return !failure && machine.isThere; // one that was killed has told the person nothing
  };
  const ask = async () => {
    while (!isOver()) {
      const number = numberOf(asked);
      asked += 1;
      const askedAt = performance.now();
      let isOn = await add(number);
      for (; !isOn && !isOver(); isOn = await add(number)) await delay(50);
      if (!isOn) return;
      took.push(performance.now() - askedAt);
      confirmed.push(number);
      isConfirmed.add(number);
    }
  };
  const disturb = async () => {
    for (let round = 0; ; round += 1) {
      await delay(DISTURBED_EVERY_MS);
      if (isOver()) return;
      const isEmptied = round % 3 !== 1;
      // what is lost before others have copied it is lost
      const isLost = round % 2 === 0 && machines.all.every(({ list }) => list.file.size >= count);
      while (adding.size === 0 && !isOver()) await delay(1);
      if (isOver()) return;
      const victim = pick([...adding]);
      done.whileAdding += Number(adding.has(victim));
      if (isEmptied) await machines.emptyRedis();
      await machines.kill(victim, isLost);
      await machines.start(isLost ? undefined : victim.path);
      done.killed += 1;
      done.lost += Number(isLost);
      done.emptied += Number(isEmptied);
    }
  };
  const many = (times: number, work: () => Promise<void>) => Array.from({ length: times }, work);
  await Promise.all([...many(DIALLERS, dial), ...many(CALLEES, ask), disturb()]);

  took.sort((a, b) => a - b);
  yield { name: 'asked until confirmed, p50', ours: ms(took[Math.floor(took.length / 2)] ?? 0) };
  yield { name: 'asked until confirmed, longest', ours: ms(took.at(-1) ?? 0) };
  const { emptied, killed, lost, whileAdding, failed } = done;
  yield { name: `told that it could not be done, beside ${took.length} confirmed`, ours: String(failed) };
  yield { name: `runners killed (${whileAdding} in an addition, ${lost} with their disks)`, ours: String(killed) };
  yield { name: 'Redis emptied', ours: String(emptied) };
  const { looks, dialled, wrong, refusedLater, byRedisAlone } = seen;
  yield { name: `dialled, of ${looks} that were asked for`, ours: String(dialled) };
  yield { name: `refused by the second look (${byRedisAlone} by Redis alone)`, ours: String(refusedLater) };
  yield { name: 'dialled after it was confirmed', ours: String(wrong), ...atMost(0, wrong, '') };
  const hasAll = ({ list }: Machine) => confirmed.every((number) => list.file.get(number) !== undefined);
  await until(() => machines.all.every(({ list }) => list.file.size >= confirmed.length), CATCH_UP_MS);
  const without = machines.all.filter((machine) => !hasAll(machine)).length;
  yield { name: 'machines that lack a confirmed number in the end', ours: String(without), ...atMost(0, without, '') };
}
