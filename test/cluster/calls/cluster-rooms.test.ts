import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { ClusterJournal } from '../../../src/cluster/calls/cluster-journal.js';
import type { Cluster } from '../../../src/cluster/members/cluster.js';
import { HangupJournal, type JournalOf } from '../../../src/runner/calls/debts/hangup-journal.js';
import { RoomKeeper } from '../../../src/runner/calls/rooms/room-keeper.js';
import { until } from '../../e2e/processes.js';
import { FakeCluster } from '../fake-cluster.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const credentials = { apiKey: 'room-api-key-of-the-tests', apiUrl: 'http://127.0.0.1:1/v1' };
/** Shorter than the longest wait for an answer of Redis. */
const STEP_MS = 500;

/** The keeper of a runner on a machine of its own; nobody is in any room. */
class Keeper implements AsyncDisposable {
  readonly #stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-keeper-'));
  readonly deleted: string[] = [];
  readonly keeper: RoomKeeper;

  constructor(
    readonly cluster: Cluster,
    trouble?: string,
  ) {
    const client = {
      createRoom: async ({ name }: { name: string }) => ({ name, url: `https://rooms.example.com/${name}` }) as never,
      isOccupied: async () => false,
      deleteRoom: async (name: string) => {
        if (trouble) throw new Error(trouble);
        this.deleted.push(name);
        return 'deleted' as const;
      },
    };
    const journalOf: JournalOf = (account, kind) => {
      const file = new HangupJournal(this.#stateDirectory, account, kind);
      return new ClusterJournal({ cluster, file, account, kind, logger: silentLogger });
    };
    const access = { provider: { name: 'hand' }, credentials, client };
    this.keeper = new RoomKeeper({ ...access, journalOf, logger: silentLogger });
  }

  async open(): Promise<string> {
    const { name } = await this.keeper.open({} as never);
    await this.cluster.redis.run((redis) => redis.ping()); // it is in Redis
    return name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keeper.stop(AbortSignal.abort());
    rmSync(this.#stateDirectory, { recursive: true });
  }
}

describeWithRedis('rooms in a cluster', () => {
  let server: RedisServer;
  let runners: FakeCluster;
  beforeEach(async () => {
    server = await RedisServer.start();
    runners = new FakeCluster(server);
  });
  afterEach(async () => {
    jest.useRealTimers();
    await runners[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Minutes pass, and everybody gets the answers of Redis as they do. */
  async function pass(minutes: number, keepers: readonly Keeper[]): Promise<void> {
    for (let ms = 0; ms < minutes * 60_000; ms += STEP_MS) {
      await jest.advanceTimersByTimeAsync(STEP_MS);
      for (const { cluster } of keepers)
        for (let n = 0; n < 4; n += 1) await cluster.redis.run((redis) => redis.ping());
    }
  }

  test('of a runner that has died are closed by one of the others, unless their call goes on at one', async () => {
    await using dead = new Keeper(await runners.join('dead'));
    await using one = new Keeper(await runners.join('one'));
    await using two = new Keeper(await runners.join('two'));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const left = await dead.open();
    const moved = await dead.open();
    one.keeper.recover();
    two.keeper.recover();
    runners.leave('dead');
    await pass(0.5, [one, two]);
    two.keeper.adopt(moved);
    expect([one.keeper.isOurs(moved), two.keeper.isOurs(moved)]).toEqual([false, true]);
    await pass(0.4, [one, two]);
    expect([...one.deleted, ...two.deleted]).toEqual([]); // it may have been empty for a moment
    await pass(4, [one, two]);
    expect([...one.deleted, ...two.deleted]).toEqual([left]);
    two.keeper.close(moved);
    await pass(0.1, [one, two]);
    expect(two.deleted).toContain(moved);
  });

  test('whose call is over are closed at once by one of the others, whoever is in them, when their runner dies first', async () => {
    await using dead = new Keeper(await runners.join('dead'), 'cannot reach the provider');
    await using one = new Keeper(await runners.join('one'));
    await using two = new Keeper(await runners.join('two'));
    const [over, goesOn] = [await dead.open(), await dead.open()];
    dead.keeper.close(over);
    await dead.cluster.redis.run((redis) => redis.ping());
    for (const { keeper } of [one, two]) keeper.recover();
    runners.leave('dead');
    await until(() => one.deleted.length + two.deleted.length > 0, 'one of them has closed it');
    expect([...one.deleted, ...two.deleted]).toEqual([over]);
    expect(dead.deleted).not.toContain(goesOn);
  });

  test('that have moved to another runner are not taken from it by the one that leaves them', async () => {
    await using from = new Keeper(await runners.join('from'));
    await using to = new Keeper(await runners.join('to'));
    await using heir = new Keeper(await runners.join('heir'));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const name = await from.open();
    to.keeper.adopt(name);
    await pass(0.1, [from, to]);
    from.keeper.leave(name);
    heir.keeper.recover();
    await pass(0.1, [from, to, heir]);
    runners.leave('to');
    await pass(4, [from, heir]);
    expect([from.deleted, heir.deleted]).toEqual([[], [name]]);
  });
});
