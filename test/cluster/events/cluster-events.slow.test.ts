import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asCallId } from '../../../src/call/call-id.js';
import type { Cluster } from '../../../src/cluster/members/cluster.js';
import { until } from '../../e2e/processes.js';
import { HandReceiver } from '../../runner/events/hand-receiver.js';
import { HOUR, TellingRunner } from '../../runner/events/telling-runner.js';
import { callsIn } from '../../runner/events/told-calls.js';
import { FakeCluster } from '../fake-cluster.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const MINUTE = 60_000;
const WHOLE_CALL = ['call.started', 'call.answered', 'turn.ended', 'turn.ended', 'call.ended'];

/** A runner on a machine of its own, unless it is given a folder. */
class Told extends TellingRunner {
  constructor(
    readonly cluster: Cluster,
    url: string,
    readonly stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-told-')),
  ) {
    super({ url, stateDirectory, cluster });
  }

  override call(id: string): void {
    super.call(id, 2);
  }

  /** Nothing of it reaches anybody any more. */
  async die(): Promise<void> {
    await this.events.settled();
    this.cluster.redis.close();
    await this.events.close(AbortSignal.abort());
  }

  /** Calls with events that are not accepted, on its disk. */
  files(): string[] {
    return readdirSync(this.stateDirectory, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ndjson'),
    );
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}

describeWithRedis('events in a cluster', () => {
  let server: RedisServer;
  let runners: FakeCluster;
  let receiver: HandReceiver;
  beforeEach(async () => {
    server = await RedisServer.start();
    runners = new FakeCluster(server);
    receiver = await HandReceiver.listen();
  });
  afterEach(async () => {
    await runners[Symbol.asyncDispose]();
    await receiver.stop();
    await server[Symbol.asyncDispose]();
    expect(receiver.forged).toEqual([]);
  });

  const join = async (id: string, stateDirectory?: string, url = receiver.url) =>
    new Told(await runners.join(id), url, stateDirectory);
  /** The receiver accepts so many and fails from then on. */
  function acceptsOnly(count: number): void {
    receiver.reply = () => (receiver.accepted.length < count ? 204 : 500);
  }
  /** The types of what was told of a call, each identifier once, in the order in which they were accepted first. */
  const toldOf = (id: string) => callsIn(receiver.accepted).get(id)?.types ?? [];
  const isTold = (id: string, types: readonly string[] = WHOLE_CALL) =>
    until(() => toldOf(id).join() === types.join(), `${id} is told: ${types.join()}`);
  const again = () => [...callsIn(receiver.accepted).values()].reduce((sum, call) => sum + call.again, 0);
  /** Keys that the events have in Redis. */
  const keys = ({ cluster: { redis } }: Told) => redis.run((client) => client.keys(`${redis.prefix}:events:*`));
  async function awayAndBack(runnersThere: readonly Told[], meanwhile: () => Promise<void>, keeps: boolean) {
    const down = runnersThere.map(({ cluster: { redis } }) => once(redis, 'down'));
    await server.stop({ keeps });
    await Promise.all(down);
    await meanwhile();
    const up = runnersThere.map(({ cluster: { redis } }) => once(redis, 'up'));
    await server.start();
    await Promise.all(up);
    for (const { events } of runnersThere) await events.settled();
  }

  test('a call is told as without a cluster, and nothing of it stays in Redis', async () => {
    await using told = await join('a');
    told.call('call-1');
    await isTold('call-1');
    await until(async () => (await keys(told)).length === 0, 'nothing is left in Redis');
    expect([told.files(), told.warnings, again()]).toEqual([[], [], 0]);
  });

  test('a runner that dies between two events leaves the rest to another one, with the same identifiers', async () => {
    const dead = await join('dead');
    await using heir = await join('heir');
    acceptsOnly(2);
    dead.call('call-1');
    await dead.events.settled();
    const refused = receiver.requests.at(-1);
    await dead.die();
    expect(receiver.types).toEqual(WHOLE_CALL.slice(0, 2));
    receiver.reply = () => 204;
    runners.leave('dead');
    await isTold('call-1');
    expect(again()).toBe(0);
    expect(receiver.accepted[2]?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
    await until(() => heir.files().length === 0, 'nothing is left');
  });

  test('of three that are left each call goes to exactly one', async () => {
    const dead = await join('dead');
    const ids = Array.from({ length: 40 }, (_, n) => `call-${n}`);
    acceptsOnly(25);
    for (const id of ids) dead.call(id);
    await dead.events.settled();
    const heirs = await Promise.all(['one', 'two', 'three'].map((id) => join(id)));
    await dead.die();
    receiver.reply = () => 204;
    runners.leave('dead');
    for (const id of ids) await isTold(id);
    expect(again()).toBe(0);
    for (const heir of heirs) await heir[Symbol.asyncDispose]();
    const [any] = heirs as [Told];
    expect(receiver.accepted).toHaveLength(5 * ids.length);
    expect(any.warnings).toEqual([]);
  });

  test('a call that goes on at another runner is told on where it was', async () => {
    const dead = await join('dead');
    await using heir = await join('heir');
    dead.begin('call-1');
    dead.answer('call-1');
    dead.turn('call-1', 1);
    await isTold('call-1', WHOLE_CALL.slice(0, 3));
    await dead.die();
    runners.leave('dead');
    heir.begin('call-1');
    heir.answer('call-1');
    heir.turn('call-1', 2);
    await heir.pass(2 * HOUR);
    heir.end('call-1');
    await isTold('call-1');
    expect(callsIn(receiver.accepted).get('call-1')?.reason).toBe('caller_hung_up');
  });

  test('also when a third runner has begun to take care of it', async () => {
    const dead = await join('dead');
    await using carer = await join('carer');
    dead.begin('call-1');
    dead.answer('call-1');
    await isTold('call-1', WHOLE_CALL.slice(0, 2));
    acceptsOnly(2);
    dead.turn('call-1', 1);
    await dead.die();
    runners.leave('dead');
    await until(() => carer.files().length === 1, 'it is taken care of');
    receiver.reply = () => 204;
    await using heir = await join('heir');
    heir.begin('call-1');
    heir.turn('call-1', 2);
    heir.end('call-1');
    await isTold('call-1');
    await carer.pass(10_000);
    expect(carer.files()).toEqual([]);
    await carer.pass(2 * HOUR);
    expect(toldOf('call-1')).toEqual(WHOLE_CALL);
  });

  test('a call that comes to nobody is told to have ended when it must be over', async () => {
    const dead = await join('dead');
    await using heir = await join('heir');
    dead.begin('call-1');
    await isTold('call-1', ['call.started']);
    await dead.die();
    runners.leave('dead');
    await until(() => heir.files().length === 1, 'it is taken over');
    await heir.pass(HOUR + 2 * MINUTE);
    await isTold('call-1', ['call.started', 'call.ended']);
    expect(callsIn(receiver.accepted).get('call-1')?.reason).toBe('runner_stopped');
  });

  test('a runner that was away for a while goes on with its call, and nothing is told twice by another identifier', async () => {
    await using paused = await join('paused');
    await using heir = await join('heir');
    acceptsOnly(1);
    paused.begin('call-1');
    paused.answer('call-1');
    await paused.events.settled();
    receiver.reply = () => 204;
    runners.leave('paused');
    await isTold('call-1', WHOLE_CALL.slice(0, 2)); // by the heir
    runners.comeBack('paused');
    paused.turn('call-1', 1);
    await paused.pass(10_000);
    paused.turn('call-1', 2);
    paused.end('call-1');
    await isTold('call-1');
    await heir.pass(2 * HOUR);
    expect(toldOf('call-1')).toEqual(WHOLE_CALL);
    expect([paused.files(), heir.files()]).toEqual([[], []]);
  });

  test('a runner that was away for a while and whose call has moved tells no more of it', async () => {
    await using paused = await join('paused');
    await using heir = await join('heir');
    paused.begin('call-1');
    paused.answer('call-1');
    await isTold('call-1', WHOLE_CALL.slice(0, 2));
    runners.leave('paused');
    heir.begin('call-1');
    heir.turn('call-1', 1);
    await isTold('call-1', WHOLE_CALL.slice(0, 3));
    runners.comeBack('paused');
    paused.end('call-1');
    await paused.pass(MINUTE);
    heir.turn('call-1', 2);
    heir.end('call-1');
    await isTold('call-1');
    await paused.pass(2 * HOUR);
    expect(toldOf('call-1')).toEqual(WHOLE_CALL);
    expect(paused.files()).toEqual([]);
  });

  test('a call moves from one live runner to another without a gap', async () => {
    await using from = await join('from');
    await using to = await join('to');
    acceptsOnly(2);
    from.begin('call-1');
    from.answer('call-1');
    from.turn('call-1', 1);
    await from.events.handOver(asCallId('call-1'));
    expect(from.files()).toEqual([]);
    receiver.reply = () => 204;
    from.answer('call-1');
    from.end('call-1'); // it is not told there any more
    await to.events.takeOver(asCallId('call-1'));
    to.begin('call-1');
    to.answer('call-1');
    to.turn('call-1', 2);
    to.end('call-1');
    await isTold('call-1');
    await from.pass(2 * HOUR);
    expect(toldOf('call-1')).toEqual(WHOLE_CALL);
  });

  test('and back, and also when the other is told of the call before it is given away', async () => {
    await using one = await join('one');
    await using two = await join('two');
    one.begin('call-1');
    one.answer('call-1');
    await isTold('call-1', WHOLE_CALL.slice(0, 2));
    two.begin('call-1');
    two.turn('call-1', 1);
    await two.events.settled();
    await isTold('call-1', WHOLE_CALL.slice(0, 2));
    await one.events.handOver(asCallId('call-1'));
    await two.events.takeOver(asCallId('call-1'));
    await isTold('call-1', WHOLE_CALL.slice(0, 3));
    await two.events.handOver(asCallId('call-1'));
    await one.events.takeOver(asCallId('call-1'));
    one.turn('call-1', 2);
    one.end('call-1');
    await isTold('call-1');
  });

  test('a call cannot be handed over while Redis is away, and stays', async () => {
    await using told = await join('a');
    told.begin('call-1');
    await isTold('call-1', ['call.started']);
    await awayAndBack(
      [told],
      async () => {
        await expect(told.events.handOver(asCallId('call-1'))).rejects.toMatchObject({
          code: 'VB_CLUSTER_UNREACHABLE',
        });
        told.answer('call-1');
        await isTold('call-1', WHOLE_CALL.slice(0, 2));
      },
      true,
    );
    told.turn('call-1', 1);
    told.turn('call-1', 2);
    told.end('call-1');
    await isTold('call-1');
  });

  test('while Redis is away events are delivered, and when it comes back empty it learns what is open', async () => {
    const told = await join('a');
    await using heir = await join('heir');
    acceptsOnly(1);
    told.begin('call-1');
    await isTold('call-1', ['call.started']);
    await awayAndBack(
      [told, heir],
      async () => {
        receiver.reply = () => (receiver.accepted.length < 2 ? 204 : 500);
        told.answer('call-1');
        await isTold('call-1', WHOLE_CALL.slice(0, 2));
        told.turn('call-1', 1);
        await told.events.settled();
      },
      false,
    );
    await told.die();
    receiver.reply = () => 204;
    runners.leave('a');
    heir.begin('call-1');
    heir.turn('call-1', 2);
    heir.end('call-1');
    await isTold('call-1');
    expect(again()).toBe(0);
  });

  test('a runner that starts again on the same machine tells nothing twice', async () => {
    const dead = await join('dead');
    acceptsOnly(2);
    dead.call('call-1');
    await dead.die();
    receiver.reply = () => 204;
    runners.leave('dead');
    await using next = await join('next', dead.stateDirectory);
    await isTold('call-1');
    await next.pass(5 * MINUTE);
    expect([again(), next.files(), await keys(next)]).toEqual([0, [], [expect.stringContaining('call')]]);
  });

  test('nor does one that starts again after another runner has delivered everything', async () => {
    const dead = await join('dead');
    await using heir = await join('heir');
    acceptsOnly(2);
    dead.call('call-1');
    await dead.die();
    receiver.reply = () => 204;
    runners.leave('dead');
    await isTold('call-1');
    await until(async () => (await keys(heir)).length === 1, 'nothing is left but that it was delivered');
    await using next = await join('next', dead.stateDirectory);
    await next.pass(5 * MINUTE);
    expect([again(), next.files()]).toEqual([0, []]);
  });

  test('what is meant for one address is not taken by a runner that tells another', async () => {
    const dead = await join('dead');
    await using stranger = await join('stranger', undefined, `${receiver.url}&other`);
    acceptsOnly(2);
    dead.call('call-1');
    await dead.die();
    receiver.reply = () => 204;
    runners.leave('dead');
    await stranger.pass(MINUTE);
    expect(receiver.accepted).toHaveLength(2);
  });

  test('an event takes two commands at most', async () => {
    await using told = await join('a');
    const scripts = async () => {
      const info = await told.cluster.redis.run((redis) => redis.info('commandstats'));
      return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    const before = await scripts();
    told.begin('call-1');
    await told.events.settled();
    told.answer('call-1');
    for (let turn = 1; turn <= 20; turn += 1) {
      told.turn('call-1', turn);
      await until(() => toldOf('call-1').length === turn + 2, 'the turn is told');
    }
    told.end('call-1');
    await until(() => toldOf('call-1').length === 23, 'the end is told');
    await until(async () => (await keys(told)).length === 0, 'nothing is left in Redis');
    expect((await scripts()) - before).toBeLessThanOrEqual(2 * 23 + 1);
  });
});
