import { once } from 'node:events';
import { hostname } from 'node:os';
import type { PlacedCall } from '../../src/call/placed-call.js';
import type { RunnerStatus } from '../../src/call/runner-status.js';
import { until } from '../e2e/processes.js';
import { Stream } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import { EventReader } from '../runner/operator/event-reader.js';
import { describeWithRedis } from './redis-server.js';
import { type ClusterRunner, RunnersUnderTest } from './runners.js';

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

interface Listed {
  readonly calls: PlacedCall[];
  readonly isWhole: boolean;
}

async function ask<Answer>({ url }: ClusterRunner, path: string): Promise<{ status: number; body: Answer }> {
  const response = await fetch(url + path);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const placeOf = ({ cluster }: ClusterRunner) => ({ machine: hostname(), runner: cluster.members.ownId });

/** A call at each runner, in which a bot speaks with the caller. */
async function callsAt(runners: RunnersUnderTest): Promise<Stream[]> {
  await runners.knowEachOther();
  const streams: Stream[] = [];
  for (const one of runners.all) {
    const { streamUrl } = await one.carrier.answer();
    streams.push(await Stream.open(streamUrl, one.url));
  }
  return streams;
}

describeWithRedis('a cluster as operators see it', () => {
  test('each runner lists the calls of all, each once, with its machine and runner', async () => {
    await using runners = await RunnersUnderTest.start(3);
    const streams = await callsAt(runners);
    for (const one of runners.all) {
      await until(async () => {
        const { calls } = (await ask<Listed>(one, '/calls')).body;
        return calls.length === 3 && calls.every(({ state }) => state === 'connected');
      }, 'all calls are listed');
      const { body } = await ask<Listed>(one, '/calls');
      expect(body.isWhole).toBe(true);
      expect(new Map(body.calls.map(({ id, machine, runner }) => [id, { machine, runner }]))).toEqual(
        new Map(streams.map(({ callId }, no) => [callId, placeOf(runners.at(no))])),
      );
    }
  });

  test('a call is told of by any runner, while it goes on and when it is over', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [stream] = (await callsAt(runners)) as [Stream];
    const { callId } = stream;
    const place = placeOf(runners.at(0));
    const there = () => ask<PlacedCall>(runners.at(1), `/calls/${callId}`);
    await until(async () => (await there()).body.state === 'connected', 'it is known there');
    expect((await there()).body).toMatchObject({ id: callId, ...place });
    await runners.at(0).carrier.hangup(callId);
    await until(async () => (await there()).body.state === 'ended', 'its end is known there');
    expect((await there()).body).toMatchObject({ endReason: 'caller_hung_up', ...place });
    expect((await ask<Listed>(runners.at(1), '/calls')).body.calls.filter(({ id }) => id === callId)).toHaveLength(1);
    expect(await ask(runners.at(1), '/calls/nobody')).toMatchObject({ status: 404 });
  });

  test('while Redis is away a runner lists its own calls, and says that these are not all', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const streams = await callsAt(runners);
    await runners.redis.stop();
    await until(() => runners.all.every(({ cluster }) => !cluster.redis.isUp), 'they know that it is away');
    const { body } = await ask<Listed>(runners.at(0), '/calls');
    expect(body).toMatchObject({ isWhole: false, calls: [{ id: streams[0]?.callId }] });
    expect(body.calls).toHaveLength(1);
    expect(await ask(runners.at(0), `/calls/${streams[1]?.callId}`)).toMatchObject({ status: 404 });
    const { cluster } = (await ask<RunnerStatus>(runners.at(0), '/status')).body;
    expect(cluster).toMatchObject({ isRedisUp: false, runners: [{}, {}] });
  });

  test('the status names the runners, the one that is asked first', async () => {
    await using runners = await RunnersUnderTest.start(2);
    await callsAt(runners);
    const [own, other] = [placeOf(runners.at(1)), placeOf(runners.at(0))];
    await until(async () => {
      const { cluster } = (await ask<RunnerStatus>(runners.at(1), '/status')).body;
      return cluster?.runners[1]?.liveCalls === 1;
    }, 'the other one has told of its call');
    expect((await ask<RunnerStatus>(runners.at(1), '/status')).body.cluster).toMatchObject({
      isRedisUp: true,
      runners: [
        { id: own.runner, machine: own.machine, isOwn: true, liveCalls: 1, isStopping: false },
        { id: other.runner, machine: other.machine, isOwn: false, liveCalls: 1, pid: process.pid },
      ],
    });
  });

  test('whoever follows a runner is told of changes of the calls that others have, each with its machine', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [stream] = (await callsAt(runners)) as [Stream];
    await until(async () => (await ask<Listed>(runners.at(1), '/calls')).body.calls.length === 2, 'both are listed');
    await using reader = await EventReader.open(`${runners.at(1).url}/events`);
    const { callId } = stream;
    const { runner } = placeOf(runners.at(0));
    const isIt = ({ id }: PlacedCall) => id === callId;
    expect(await reader.next<PlacedCall>('call', isIt)).toMatchObject({ runner });
    await reader.next<RunnerStatus>('status');
    await runners.at(0).carrier.hangup(callId);
    const ended = await reader.next<PlacedCall>('call', (call) => isIt(call) && call.state === 'ended');
    expect(ended).toMatchObject({ endReason: 'caller_hung_up', runner });
  });

  test('the events of a call come from the runner that has it, whichever is asked, until it is over', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [stream] = (await callsAt(runners)) as [Stream];
    const { callId } = stream;
    const path = `/calls/${callId}/events`;
    await until(async () => (await ask(runners.at(1), `/calls/${callId}`)).status === 200, 'it is known there');
    await using reader = await EventReader.open(runners.at(1).url + path);
    expect(await reader.next<PlacedCall>('call')).toMatchObject({ id: callId });
    await runners.at(0).carrier.hangup(callId);
    await reader.events.next(({ event }) => event === 'end');
    await reader.over;
    expect(reader.events.all.some(({ data }) => data.includes('caller_hung_up'))).toBe(true);
  });

  test('one who stops following leaves nothing open at the other runner, which may leave', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [{ callId }] = (await callsAt(runners)) as [Stream];
    await until(async () => (await ask(runners.at(1), `/calls/${callId}`)).status === 200, 'it is known there');
    const reader = await EventReader.open(`${runners.at(1).url}/calls/${callId}/events`);
    await reader.next('call');
    await reader[Symbol.asyncDispose]();
    await runners.at(0).runner.stop({ drainMs: 0 });
    expect(await ask(runners.at(1), '/calls/nobody/peaks')).toMatchObject({ status: 404 });
  });

  test('what is typed into a call of another runner is told to its bot, which takes nothing here', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [stream] = (await callsAt(runners)) as [Stream];
    await until(async () => (await ask(runners.at(1), `/calls/${stream.callId}`)).status === 200, 'it is known there');
    const type = (id: string) =>
      fetch(`${runners.at(1).url}/calls/${id}/typed`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Hello' }),
      }).then(async (response) => ({ status: response.status, text: await response.text() }));
    expect(await type(stream.callId)).toMatchObject({ status: 409, text: expect.stringContaining('takes no typed') });
    expect(await type('nobody')).toMatchObject({ status: 404 });
  });

  test('metrics tell the runners, their calls, Redis, and the webhooks that were passed on', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const [stream] = (await callsAt(runners)) as [Stream];
    await runners.at(1).carrier.hangup(stream.callId);
    await runners.at(0).record(stream.callId, { state: 'ended' });
    const metrics = async () => (await fetch(`${runners.at(1).url}/metrics`)).text();
    await until(
      async () => (await metrics()).includes(`voicebot_cluster_calls{machine="${hostname()}"} 1`),
      'one call',
    );
    for (const line of ['cluster_runners 2', 'cluster_redis_up 1', 'cluster_requests_passed_total 1']) {
      expect(await metrics()).toContain(`voicebot_${line}`);
    }
    expect(await metrics()).toContain('voicebot_cluster_calls_moved_total{how="taken_over"} 0');
    const away = once(runners.at(1).cluster.redis, 'down');
    await runners.redis.stop();
    await away;
    expect(await metrics()).toContain('voicebot_cluster_redis_up 0');
  });
});
