import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SharedDoNotCall } from '../../src/cluster/dialing/shared-do-not-call.js';
import { DoNotCallFile } from '../../src/runner/dialing/do-not-call/list-file.js';
import { SharedRunners } from '../../test/cluster/dialing/shared-runners.js';
import { hasRedis, RedisServer } from '../../test/cluster/redis-server.js';
import { atMost, type Figure, ms } from '../figure.js';
import { MissingProgram } from '../missing-program.js';

const numberOf = (index: number) => `+1${2_020_000_000 + index}`;
const DISTURBED_MS = 30_000;

/** A do-not-call list of as many numbers, in a file, and in a cluster of three whose Redis is emptied and whose runners are killed. */
export async function* doNotCall(count = 100_000): AsyncGenerator<Figure> {
  if (!hasRedis) throw new MissingProgram('redis-server');
  const home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
  const server = await RedisServer.start();
  const runners = new SharedRunners(server);
  const lists = new Map<string, SharedDoNotCall>();
  const join_ = async (path: string) => {
    const cluster = await runners.join();
    lists.set(cluster.members.ownId, new SharedDoNotCall({ cluster, path }));
  };
  const kill = async (id: string) => {
    const list = lists.get(id);
    lists.delete(id);
    runners.alive.delete(id);
    await list?.close();
    return list?.file.path ?? '';
  };
  const any = () => [...lists.values()][Math.floor(Math.random() * lists.size)] as SharedDoNotCall;
  try {
    const path = join(home, '1', 'list.ndjson');
    const numbers = Array.from({ length: count }, (_, index) => ({ number: numberOf(index), how: 'import' as const }));
    await new DoNotCallFile(path).add(numbers);
    const startedAt = performance.now();
    const file = new DoNotCallFile(path);
    if (file.size !== count) throw new Error(`${file.size} of ${count} numbers are there`);
    const loadedMs = performance.now() - startedAt;
    for (let n = 0; n < 100_000; n += 1) file.get(numberOf(n % count));
    yield { name: `loading a list of ${count} numbers`, ours: ms(loadedMs), ...atMost(1_000, loadedMs, ' ms') };
    yield { name: 'a look-up', ours: ms((performance.now() - startedAt - loadedMs) / 100_000) };

    for (const machine of [path, join(home, '2', 'list.ndjson'), join(home, '3', 'list.ndjson')]) await join_(machine);
    const joinedAt = performance.now();
    while (![...lists.values()].every((list) => list.file.size === count)) await delay(100);
    yield { name: 'until all three runners have it on their disks', ours: ms(performance.now() - joinedAt) };

    const [asked, took]: [string[], number[]] = [numbers.map(({ number }) => number), []];
    let [wrong, looks, round] = [0, 0, 0];
    const until = performance.now() + DISTURBED_MS;
    const isOver = () => performance.now() > until;
    const dial = async () => {
      for (; !isOver(); looks += 1) {
        const [list, number] = [any(), asked[Math.floor(Math.random() * asked.length)] as string];
        const isFree = await list.check(number).then(
          () => true,
          () => false,
        );
        if (isFree && [...lists.values()].includes(list)) wrong += 1;
        await delay(1);
      }
    };
    const ask = async () => {
      for (let index = count; !isOver(); index += 1) {
        const at = performance.now();
        const add = () => any().add({ number: numberOf(index), how: 'said' });
        while (
          !(await add().then(
            () => true,
            () => false,
          ))
        )
          await delay(50);
        took.push(performance.now() - at);
        asked.push(numberOf(index));
      }
    };
    const disturb = async () => {
      for (; !isOver(); round += 1) {
        await delay(5_000);
        await runners.links.at(-1)?.run((redis) => redis.flushall());
        await join_(await kill([...lists.keys()][0] as string));
      }
    };
    await Promise.all([dial(), dial(), ask(), disturb()]);
    took.sort((a, b) => a - b);
    yield { name: 'asked until confirmed, p50', ours: ms(took[Math.floor(took.length / 2)] ?? 0) };
    yield { name: 'asked until confirmed, longest', ours: ms(took.at(-1) ?? 0) };
    yield {
      name: `dialled after it was asked, of ${looks} looks in ${round} losses of Redis`,
      ours: String(wrong),
      ...atMost(0, wrong, ''),
    };
  } finally {
    await Promise.all([...lists.values()].map((list) => list.close()));
    runners[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }
}
