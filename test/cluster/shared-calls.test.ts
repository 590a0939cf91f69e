import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { deferred } from '../../src/base/async/deferred.js';
import type { CallRecord } from '../../src/call/call-record.js';
import { until } from '../e2e/processes.js';
import { Stream } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import { describeWithRedis } from './redis-server.js';
import { RunnersUnderTest } from './runners.js';

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

const known = (runners: RunnersUnderTest, id: string, state?: CallRecord['state']) =>
  runners.all.filter(({ records }) =>
    records.all.some((record) => record.id === id && (!state || record.state === state)),
  ).length;

describeWithRedis('runners of a cluster', () => {
  test('one that has not joined is not ready, so that no balancer gives it calls that the others take for lost', async () => {
    await using runners = await RunnersUnderTest.start(1);
    const { runner, cluster } = await runners.prepare();
    const join = cluster.members.join.bind(cluster.members);
    const mayJoin = deferred();
    const joining = deferred();
    jest.spyOn(cluster.members, 'join').mockImplementation(async (...args) => {
      joining.resolve();
      await mayJoin.promise;
      await join(...args);
    });
    const started = runner.start();
    await joining.promise;
    expect((await fetch(`${runner.url}/ready`)).status).toBe(503);
    mayJoin.resolve();
    await started;
    expect((await fetch(`${runner.url}/ready`)).status).toBe(200);
  });

  test('one call that asks all of them at once has one runner, one document and one bot', async () => {
    await using runners = await RunnersUnderTest.start(3);
    const callId = randomUUID();
    const documents = await Promise.all(
      Array.from({ length: 21 }, (_, no) => runners.at(no % 3).carrier.answer(callId)),
    );
    expect(new Set(documents.map(({ answer }) => answer.body)).size).toBe(1);
    expect(known(runners, callId)).toBe(1);
  });

  test('a webhook that comes to another runner is answered by the one that has the call', async () => {
    await using runners = await RunnersUnderTest.start(3);
    const document = await runners.at(0).carrier.answer();
    const { callId } = document;
    const stream = await Stream.open(document.streamUrl, runners.at(0).url);
    stream.order('return');
    await stream.closed;
    expect((await runners.at(1).carrier.resume(callId)).verbs).toEqual(['Hangup']);
    await runners.at(2).carrier.hangup(callId, { HangupSource: 'Answer XML' });
    const ended = await runners.at(0).record(callId, { state: 'ended' });
    expect(ended).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    expect(known(runners, callId, 'ended')).toBe(1);
  });

  test('whoever gets the media stream serves it: the call moves there with its document', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const document = await runners.at(0).carrier.answer(randomUUID(), '?campaign=spring');
    const { callId } = document;
    const stream = await Stream.open(document.streamUrl, runners.at(1).url);
    expect(stream.hello).toMatchObject({ call: { id: callId, attempt: 1 }, query: { campaign: 'spring' } });
    await runners.at(1).record(callId, { state: 'connected' });
    expect(runners.at(0).runner.liveCalls).toBe(0);
    expect((await runners.at(0).carrier.hangup(callId)).status).toBe(200);
    await runners.at(1).record(callId, { state: 'ended', endReason: 'caller_hung_up' });
    expect((await runners.at(0).carrier.resume(callId)).verbs).toEqual(['Hangup']);
  });

  test('a stream without the pass of its call moves nothing', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const { streamUrl } = await runners.at(0).carrier.answer();
    const liveCalls = () => runners.all.map(({ runner }) => runner.liveCalls);
    const before = liveCalls();
    const forged = new URL(streamUrl);
    forged.searchParams.set('token', `${forged.searchParams.get('token')}_`);
    // Whichever has the call, for they may know each other already.
    const socket = new Stream(forged.href, runners.at(before[0] === 1 ? 1 : 0).url).socket;
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
    socket.terminate();
    expect(liveCalls()).toEqual(before);
    expect(before.toSorted()).toEqual([0, 1]);
  });

  test('a dialled call is answered by whichever runner its webhooks come to', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const call = (await runners.dial(0, { phone_number: '+12025550101', body: { a: 1 } })).by(runners.at(1).carrier);
    await call.ring();
    const document = await call.answer();
    const stream = await Stream.open(document.streamUrl, runners.at(1).url);
    expect(stream.hello).toMatchObject({ body: { a: 1 }, call: { direction: 'outbound', attempt: 1 } });
    stream.order('return');
    await stream.closed;
    await call.by(runners.at(0).carrier).hangup();
    await until(() => runners.all.every(({ runner }) => runner.liveCalls === 0), 'the call is over everywhere');
  });

  test('while Redis is away calls go on wherever their webhooks come to, and new ones are served', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const document = await runners.at(0).carrier.answer();
    const { callId } = document;
    await runners.knowEachOther();
    await runners.redis.stop();
    const stream = await Stream.open(document.streamUrl, runners.at(1).url);
    expect(stream.hello.call).toMatchObject({ id: callId, attempt: 1 });
    const other = await Stream.open((await runners.at(1).carrier.answer()).streamUrl, runners.at(1).url);
    other.order('return');
    await other.closed;
    expect((await runners.at(0).carrier.resume(other.callId)).verbs).toEqual(['Hangup']);
    await runners.redis.start();
    await runners.at(0).carrier.hangup(callId);
    await runners.at(1).record(callId, { state: 'ended' });
  });

  test('a Redis that has forgotten everything learns of the calls again', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const document = await runners.at(0).carrier.answer();
    const stream = await Stream.open(document.streamUrl, runners.at(0).url);
    const { callId } = stream;
    await runners.redis.stop({ keeps: false });
    await runners.redis.start();
    await until(() => runners.all.every(({ cluster }) => cluster.redis.isUp), 'both are connected again');
    await runners.at(1).carrier.hangup(callId);
    expect(await runners.at(0).record(callId, { state: 'ended' })).toMatchObject({
      endReason: 'caller_hung_up',
    });
  });

  test('a runner that leaves hands the calls that go on to the others, with another bot', async () => {
    await using runners = await RunnersUnderTest.start(2);
    const document = await runners.at(0).carrier.answer();
    const stream = await Stream.open(document.streamUrl, runners.at(0).url);
    const { callId } = stream;
    await runners.knowEachOther();
    await runners.at(0).runner.stop({ drainMs: 0 });
    await stream.closed;
    const next = await runners.at(1).carrier.resume(callId);
    const again = await Stream.open(next.streamUrl, runners.at(1).url);
    expect(again.hello.call).toMatchObject({ id: callId, attempt: 2 });
    await runners.at(1).carrier.hangup(callId);
    await runners.at(1).record(callId, { state: 'ended', endReason: 'caller_hung_up' });
    expect(runners.at(0).records.all.some(({ state }) => state === 'ended')).toBe(false);
  });
});
