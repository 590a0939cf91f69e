import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { ClusterJournal } from '../../../src/cluster/calls/cluster-journal.js';
import type { Cluster } from '../../../src/cluster/members/cluster.js';
import { HangupJournal, type ObligationKind } from '../../../src/runner/calls/debts/hangup-journal.js';
import { Hangups } from '../../../src/runner/calls/debts/hangups.js';
import { until } from '../../e2e/processes.js';
import { FakeCluster } from '../fake-cluster.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const ACCOUNT = { carrier: 'plivo', authId: 'MATEST', apiUrl: 'http://127.0.0.1:1/v1' };
const atOnce = () => AbortSignal.abort();

/** A runner on a machine of its own. */
class Owner implements AsyncDisposable {
  readonly stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-owner-'));
  /** The calls that the carrier was asked to end. */
  readonly ended: string[] = [];
  /** How the carrier answers. */
  hangUp: (callId: string, signal: AbortSignal) => Promise<unknown> = async () => {};
  readonly journal: ClusterJournal;
  readonly hangups: Hangups;

  constructor(
    readonly cluster: Cluster,
    kind: ObligationKind = 'hangups',
    account = ACCOUNT,
  ) {
    const file = new HangupJournal(this.stateDirectory, account, kind);
    this.journal = new ClusterJournal({ cluster, file, account, kind, logger: silentLogger });
    const hangUp = (callId: string, signal: AbortSignal) => {
      this.ended.push(callId);
      return this.hangUp(callId, signal);
    };
    this.hangups = new Hangups({ client: { hangUp }, journal: this.journal, logger: silentLogger });
  }

  /** The carrier is not to be reached. */
  cutOff(): this {
    this.hangUp = (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return this;
  }

  /** What is written down on its machine. */
  files(): string[] {
    return readdirSync(this.stateDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('json'),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangups.close(atOnce());
    rmSync(this.stateDirectory, { recursive: true });
  }
}

describeWithRedis('obligations in a cluster', () => {
  let server: RedisServer;
  let runners: FakeCluster;
  beforeEach(async () => {
    server = await RedisServer.start();
    runners = new FakeCluster(server);
  });
  afterEach(async () => {
    await runners[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const join = async (id: string, kind?: ObligationKind, account = ACCOUNT) =>
    new Owner(await runners.join(id), kind, account);
  /** Identifier and owner of everything that is owed. */
  async function owed({ cluster: { redis } }: Owner): Promise<string[]> {
    const [key = ''] = await redis.run((client) => client.keys(`${redis.prefix}:owed:*`));
    if (key === '') return [];
    const entries = await redis.run((client) => client.hgetall(key));
    return Object.entries(entries).map(([id, entry]) => `${id} of ${entry.split(' ')[1]}`);
  }
  const isOwed = async (owner: Owner, ...expected: string[]) =>
    until(async () => (await owed(owner)).toSorted().join() === expected.join(), `owed are ${expected.join()}`);

  test('are in Redis until they are settled, and nothing waits for that', async () => {
    await using owner = (await join('a')).cutOff();
    owner.hangups.ensureEnded('call-1');
    owner.hangups.ensureEnded('call-2');
    expect([owner.files().length, owner.ended]).toEqual([2, ['call-1', 'call-2']]);
    await isOwed(owner, 'call-1 of a', 'call-2 of a');
    owner.hangups.settled('call-1');
    await isOwed(owner, 'call-2 of a');
  });

  test('of a runner that has died are settled by exactly one of three', async () => {
    await using dead = (await join('dead')).cutOff();
    const calls = Array.from({ length: 20 }, (_, n) => `call-${n}`);
    for (const call of calls) dead.hangups.ensureEnded(call);
    await isOwed(dead, ...calls.map((call) => `${call} of dead`).toSorted());
    await using one = await join('one');
    await using two = await join('two');
    await using three = await join('three');
    for (const { hangups } of [one, two, three]) hangups.replay();
    runners.leave('dead');
    await isOwed(one);
    expect([one, two, three].flatMap(({ ended }) => ended).toSorted()).toEqual(calls.toSorted());
    expect([one, two, three].flatMap((owner) => owner.files())).toEqual([]);
  });

  test('of a runner that was gone before are found when another starts', async () => {
    await using dead = (await join('dead')).cutOff();
    dead.hangups.ensureEnded('call-1');
    await isOwed(dead, 'call-1 of dead');
    runners.leave('dead');
    await using heir = await join('heir');
    heir.hangups.replay();
    await until(() => heir.ended.length === 1, 'the call is ended');
  });

  test('are handed on when the one that has taken them over dies too', async () => {
    await using dead = (await join('dead')).cutOff();
    await using heir = (await join('heir')).cutOff();
    dead.hangups.ensureEnded('call-1');
    heir.hangups.replay();
    await isOwed(dead, 'call-1 of dead');
    runners.leave('dead');
    await isOwed(dead, 'call-1 of heir');
    await until(() => heir.files().length === 1, 'it is written down by the heir');
    await using last = await join('last');
    last.hangups.replay();
    runners.leave('heir');
    await isOwed(last);
    expect(last.ended).toEqual(['call-1']);
  });

  test('of one that is there are left to it, and those of another account to whoever has that', async () => {
    await using owner = (await join('owner')).cutOff();
    await using other = (await join('other', 'hangups', { ...ACCOUNT, authId: 'MAOTHER' })).cutOff();
    await using heir = await join('heir');
    owner.hangups.ensureEnded('call-1');
    await isOwed(owner, 'call-1 of owner');
    heir.hangups.replay();
    other.hangups.replay();
    heir.cluster.members.emit('left', 'somebody else');
    await heir.cluster.redis.run((redis) => redis.ping());
    expect(heir.ended).toEqual([]);
    runners.leave('owner');
    await until(() => heir.ended.length === 1, 'the call is ended');
    expect(other.ended).toEqual([]);
  });

  test('are taken over once more, and ended twice, when their owner was away for a while only', async () => {
    await using paused = (await join('paused')).cutOff();
    await using heir = (await join('heir')).cutOff();
    paused.hangups.ensureEnded('call-1');
    heir.hangups.replay();
    await isOwed(heir, 'call-1 of paused');
    runners.leave('paused');
    await isOwed(heir, 'call-1 of heir');
    runners.comeBack('paused');
    paused.hangups.settled('call-1'); // it does not take away what is another's now
    paused.hangups.ensureEnded('call-2');
    await isOwed(heir, 'call-1 of heir', 'call-2 of paused');
    heir.hangups.settled('call-1');
    await isOwed(heir, 'call-2 of paused');
  });

  test('are written again to a Redis that has come back empty, and what was settled meanwhile is not', async () => {
    await using owner = (await join('owner')).cutOff();
    await using heir = await join('heir');
    owner.hangups.ensureEnded('call-1');
    owner.hangups.ensureEnded('call-2');
    await isOwed(owner, 'call-1 of owner', 'call-2 of owner');
    const down = [owner, heir].map(({ cluster: { redis } }) => once(redis, 'down'));
    await server.stop({ keeps: false });
    await Promise.all(down);
    owner.hangups.settled('call-1');
    owner.hangups.ensureEnded('call-3');
    expect(owner.ended).toEqual(['call-1', 'call-2', 'call-3']);
    const up = [owner, heir].map(({ cluster: { redis } }) => once(redis, 'up'));
    await server.start();
    await Promise.all(up);
    await isOwed(owner, 'call-2 of owner', 'call-3 of owner');
    heir.hangups.replay();
    runners.leave('owner');
    await until(() => heir.ended.length === 2, 'the calls are ended');
  });

  test('that were settled while Redis was away do not come back with it', async () => {
    await using owner = (await join('owner')).cutOff();
    owner.hangups.ensureEnded('call-1');
    await isOwed(owner, 'call-1 of owner');
    const down = once(owner.cluster.redis, 'down');
    await server.stop();
    await down;
    owner.hangups.settled('call-1');
    const up = once(owner.cluster.redis, 'up');
    await server.start();
    await up;
    await isOwed(owner);
  });

  test('a runner that stops leaves what is open, and lets go of its cluster', async () => {
    const owner = (await join('owner')).cutOff();
    owner.hangups.replay();
    owner.hangups.ensureEnded('call-1');
    await owner.hangups.close(atOnce());
    expect(await owed(owner)).toEqual(['call-1 of owner']);
    expect(owner.cluster.members.listenerCount('left')).toBe(0);
    expect(owner.cluster.redis.listenerCount('up')).toBe(0);
    await owner[Symbol.asyncDispose]();
  });

  describe('to close a room', () => {
    test('go to an heir, which keeps away from it as soon as another runner has adopted it', async () => {
      await using dead = await join('dead', 'rooms');
      await using heir = await join('heir', 'rooms');
      await using other = await join('other', 'rooms');
      for (const room of ['room-1', 'room-2']) dead.journal.add(room);
      await isOwed(dead, 'room-1 of dead', 'room-2 of dead');
      const taken: string[] = [];
      heir.journal.follow((names) => taken.push(...names));
      runners.leave('dead');
      await until(() => taken.length === 2, 'they are taken over');
      other.journal.add('room-1'); // its call has come to that runner
      await isOwed(dead, 'room-1 of other', 'room-2 of heir');
      expect(await heir.journal.claim(['room-1', 'room-2'])).toEqual(['room-2']);
      expect(heir.files()).toEqual(['rooms/room-2.json']);
    });

    test('stay with the one that has adopted it, also when Redis comes back empty and the others are first', async () => {
      await using paused = await join('paused', 'rooms');
      await using adopter = await join('adopter', 'rooms');
      paused.journal.add('room-1');
      await isOwed(paused, 'room-1 of paused');
      adopter.journal.add('room-1');
      await isOwed(paused, 'room-1 of adopter');
      const all = [paused, adopter];
      const down = all.map(({ cluster: { redis } }) => once(redis, 'down'));
      await server.stop({ keeps: false });
      await Promise.all(down);
      const up = all.map(({ cluster: { redis } }) => once(redis, 'up'));
      await server.start();
      await Promise.all(up);
      await isOwed(paused, 'room-1 of adopter');
      paused.journal.release('room-1');
      expect(await paused.journal.claim(['room-1'])).toEqual([]);
      await isOwed(paused, 'room-1 of adopter');
    });

    test('cannot be claimed while Redis is away: nobody knows whose it is', async () => {
      await using owner = await join('owner', 'rooms');
      owner.journal.add('room-1');
      const down = once(owner.cluster.redis, 'down');
      await server.stop();
      await down;
      expect(await owner.journal.claim(['room-1'])).toEqual([]);
      expect(owner.files()).toEqual(['rooms/room-1.json']);
    });
  });
});
