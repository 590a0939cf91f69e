import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { OutboxStore } from '../../../src/cluster/events/outbox-store.js';
import type { Cluster } from '../../../src/cluster/members/cluster.js';
import { ApplicationEvents } from '../../../src/runner/events/application-events.js';
import { until } from '../../e2e/processes.js';
import { FastClock } from '../../runner/events/fast-clock.js';
import { HandReceiver, type Reply, SECRET } from '../../runner/events/hand-receiver.js';
import { Teller } from '../../runner/events/teller-process.js';
import { callsIn, MAX_CALL_SECONDS, wholeCall } from '../../runner/events/told-calls.js';
import { FakeCluster } from '../fake-cluster.js';
import { describeWithRedis, RedisServer } from '../redis-server.js';

const LIMIT_MS = 30_000;
const HEIRS = ['one', 'two', 'three'];

describeWithRedis('a runner of a cluster that is killed', () => {
  let directory: string;
  let server: RedisServer;
  let runners: FakeCluster;
  let receiver: HandReceiver;
  let killed: Teller;
  let heirs: ApplicationEvents[];
  let cluster: Cluster;
  let store: OutboxStore;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-killed-'));
    server = await RedisServer.start();
    runners = new FakeCluster(server);
    receiver = await HandReceiver.listen();
    const { url } = receiver;
    const stateDirectory = join(directory, 'killed');
    killed = new Teller({ stateDirectory, url, first: 1, last: 400, redis: server.url });
    runners.comeBack('teller');
    const clusters = await Promise.all(HEIRS.map((id) => runners.join(id)));
    cluster = clusters[0] as Cluster;
    store = new OutboxStore(cluster, url);
    heirs = clusters.map((one) => {
      const own = { stateDirectory: join(directory, one.members.ownId), cluster: one };
      const options = { url, secret: SECRET, maxCallMs: MAX_CALL_SECONDS * 1_000, logger: silentLogger };
      return new ApplicationEvents({ ...options, ...own, clock: new FastClock(1_000) });
    });
  });
  afterEach(async () => {
    await killed.end('SIGKILL');
    await Promise.all(heirs.map((heir) => heir.close(AbortSignal.abort())));
    await runners[Symbol.asyncDispose]();
    await receiver.stop();
    await server[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  /** A third of all answers are failures; some of what is accepted is not known to be. */
  function failsOften(): void {
    let n = 0;
    receiver.reply = () => {
      n += 1;
      if (n % 3 > 0) return 200;
      return (['lost', 500, 503] as const)[(n / 3) % 3] as Reply;
    };
  }

  const hasEnded = (call: number) =>
    callsIn(receiver.accepted).get(`call-${call}`)?.types.includes('call.ended') ?? false;
  /** Calls with events that wait at the heirs. */
  const left = () =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ndjson') && !path.startsWith('killed'),
    );

  test(
    'leaves its calls to three others on other machines: every event is there, in order, under one identifier',
    async () => {
      failsOften();
      for (const heir of heirs) heir.recover();
      await until(() => killed.ended.size > 100, 'a quarter of the calls is over', LIMIT_MS);
      const ended = new Set(killed.ended);
      for (const call of ended) {
        const isKnown = async () => hasEnded(call) || (await store.read(`call-${call}`))?.told.includes('call.ended');
        await until(async () => (await isKnown()) ?? false, `the end of ${call} is told, or in Redis`, LIMIT_MS);
      }
      await killed.end('SIGKILL');
      const owned = await cluster.redis.run((redis) => redis.hkeys(store.register.key));
      const known = new Set([...ended, ...owned.map((id) => Number(id.slice('call-'.length)))]);
      runners.leave('teller');
      const unended = () => [...known].filter((call) => !hasEnded(call));
      await until(() => unended().length === 0, 'the end of every call is told', LIMIT_MS);
      const calls = callsIn(receiver.accepted);
      const problems = [...known].flatMap((call) => {
        const { types = [], turns = [], reason } = calls.get(`call-${call}`) ?? {};
        const isInOrder = turns.every((turn, at) => turn === at + 1);
        const isWhole = isInOrder && reason === 'caller_hung_up' && `${types}` === `${wholeCall(call)}`;
        const beginning = [...wholeCall(call).slice(0, types.length - 1), 'call.ended'];
        const isCutOff = isInOrder && reason === 'runner_stopped' && `${types}` === `${beginning}`;
        return isWhole || (isCutOff && !ended.has(call)) ? [] : [`${call}: ${types} (${reason})`];
      });
      expect(problems).toEqual([]);
      expect([...calls.values()].some(({ reason }) => reason === 'runner_stopped')).toBe(true);
      expect(receiver.forged).toEqual([]);
      await until(() => left().length === 0, 'nothing is left');
    },
    2 * LIMIT_MS,
  );
});
