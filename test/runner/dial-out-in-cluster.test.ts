import { describeWithRedis, RedisServer } from '../cluster/redis-server.js';
import { until } from '../e2e/processes.js';
import { SharedRunners } from './dialing/shared-runners.js';
import { startCall } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

const NUMBER = { phone_number: '+12025550101' };
const isPlacing = ({ method, path }: { method: string; path: string }) => method === 'POST' && path === 'Call/';

/** Two runners of a cluster that both dial. */
async function start(dialLimits: TestRunnerOptions['dialLimits']) {
  const server = await RedisServer.start();
  const runners = new SharedRunners(server);
  const both: RunnerUnderTest[] = [];
  for (const cluster of [await runners.join(), await runners.join()]) {
    both.push(await RunnerUnderTest.start({ ...IN_PROCESS, cluster, ...(dialLimits && { dialLimits }) }));
  }
  const [first, second] = both as [RunnerUnderTest, RunnerUnderTest];
  return {
    first,
    second,
    runners,
    placings: () => both.flatMap(({ api }) => api.requests.all.filter(isPlacing)).length,
    async [Symbol.asyncDispose]() {
      for (const runner of both) await runner[Symbol.asyncDispose]();
      runners[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describeWithRedis('two runners of a cluster', () => {
  test('dial as many calls as one may, and a call that ends at one makes room at the other', async () => {
    await using cluster = await start({ perMinute: 100, atOnce: 1, secondsPerNumber: 0 });
    const { first, second } = cluster;
    const call = await dialled(first);
    expect(await startCall(second.runner, NUMBER)).toMatchObject({
      status: 429,
      body: { error: { code: 'VB_DIAL_LIMIT', message: expect.stringContaining('at most 1 dialled calls at once') } },
    });
    await call.hangup();
    await dialled(second);
    expect(cluster.placings()).toBe(2);
  });

  test('dial a request once that comes to both, and to none while Redis is away', async () => {
    await using cluster = await start({ perMinute: 100, atOnce: 5, secondsPerNumber: 0 });
    const { first, second } = cluster;
    await (await dialled(first)).hangup();
    await (await dialled(second)).hangup();
    const headers = { 'idempotency-key': 'order-1' };
    const answers = await Promise.all([first, second].map(({ runner }) => startCall(runner, NUMBER, { headers })));
    expect(answers[1]).toMatchObject({ status: 202, body: answers[0]?.body });
    expect(cluster.placings()).toBe(3);
    await cluster.runners.away();
    for (const { runner } of [first, second]) {
      expect(await startCall(runner, NUMBER, { headers })).toMatchObject({ status: 503 });
      expect(await startCall(runner, NUMBER)).toMatchObject({
        status: 503,
        body: { error: { code: 'VB_CLUSTER_UNREACHABLE' } },
      });
    }
    expect(cluster.placings()).toBe(3);
    expect(first.runner.liveCalls + second.runner.liveCalls).toBe(1);
  });
});

/** A call that this runner has dialled as soon as the cluster let it. */
async function dialled(under: RunnerUnderTest) {
  let answer = await startCall(under.runner, NUMBER);
  await until(async () => {
    if (answer.status !== 202) answer = await startCall(under.runner, NUMBER);
    return answer.status === 202;
  }, 'a call is dialled');
  return under.carrier.dialled(under.api, answer.body);
}
