import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { childrenOf, isAlive, isGroupAlive, until } from '../e2e/processes.js';
import { send } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

afterEach(() => jest.useRealTimers());

/** Bot processes that this test's process has started. */
const botProcesses = () => childrenOf(process.pid, /bot-main/);
const nothingLeft = () => until(() => botProcesses().length === 0, 'no bot process is left');

test('with no call it ends at once, with everything it started', async () => {
  const served = await RunnerUnderTest.start({ warm: 2 });
  await until(() => botProcesses().length === 2, 'two bots are warm');
  const pids = botProcesses();
  const { url } = served.runner;
  await served.runner.stop({ drainMs: 60_000 });
  await nothingLeft();
  await until(() => !pids.some(isGroupAlive), 'nothing they started is left');
  await expect(send(`${url}/health`)).rejects.toThrow('ECONNREFUSED');
});

test('new calls are turned away as busy while a live one goes on', async () => {
  await using served = await RunnerUnderTest.start({ ...IN_PROCESS, drainMs: 60_000 });
  await served.carrier.call();
  void served.runner.stop();
  const refused = await served.carrier.answer();
  expect(refused.verbs).toEqual(['Hangup']);
  expect(refused.verb('Hangup').attributes.get('reason')).toBe('busy');
});

test('a bot that does not end its call when asked is ended 5 s later, as at a limit', async () => {
  const served = await RunnerUnderTest.start();
  const stream = await served.carrier.call();
  stream.order('ignore_stop');
  await stream.event('done');
  holdTimers();
  const stopping = served.runner.stop({ drainMs: 0 });
  jest.advanceTimersByTime(0);
  await until(() => jest.getTimerCount() > 0, 'bots are given a moment');
  jest.advanceTimersByTime(4_999);
  expect(isAlive(stream.hello.pid)).toBe(true);
  jest.advanceTimersByTime(1);
  await stopping;
  expect(await stream.closed).toBe(1006);
  expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: 'runner_stopped' });
  await nothingLeft();
});

test('asked a second time it waits no longer', async () => {
  const served = await RunnerUnderTest.start();
  const stream = await served.carrier.call();
  stream.order('ignore_stop');
  await stream.event('done');
  const first = served.runner.stop({ drainMs: 600_000 });
  const second = served.runner.stop();
  expect(second).toBe(first);
  await second;
  expect(await stream.closed).toBe(1006);
  await served.runner.stop();
  await nothingLeft();
});

test('a call that nobody has connected yet does not hold it up beyond its time', async () => {
  const served = await RunnerUnderTest.start();
  const { callId } = await served.carrier.answer();
  holdTimers();
  const stopping = served.runner.stop({ drainMs: 1_000 });
  jest.advanceTimersByTime(1_000);
  await until(() => jest.getTimerCount() > 0, 'bots are given a moment');
  jest.advanceTimersByTime(5_000);
  await served.api.next('DELETE', new RegExp(callId));
  await stopping;
  expect(await served.record(callId, { state: 'ended' })).toMatchObject({ endReason: 'runner_stopped' });
});

test('a hang-up that the carrier fails to take is asked for again before it is over', async () => {
  const served = await RunnerUnderTest.start(IN_PROCESS);
  let asked = 0;
  served.api.respond = ({ method }) => {
    if (method === 'DELETE') asked += 1;
    return method === 'DELETE' && asked === 1 ? { status: 503 } : undefined;
  };
  await served.carrier.answer();
  holdTimers();
  const stopping = served.runner.stop({ drainMs: 0 });
  await until(() => {
    if (served.runner.liveCalls > 0) jest.advanceTimersByTime(1_000);
    return asked === 1;
  }, 'the carrier is asked');
  await until(() => {
    jest.advanceTimersByTime(100);
    return asked === 2;
  }, 'the carrier is asked again');
  await stopping;
});

test('a runner that was never started stops too', async () => {
  const never = new RunnerUnderTest();
  await never.runner.stop();
  expect(() => never.runner.url).toThrow('not started');
});

test('a port that is taken is named, and no bot is left behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const refused = new RunnerUnderTest({ port });
  await expect(refused.runner.start()).rejects.toMatchObject({
    code: 'VB_PORT_IN_USE',
    message: expect.stringContaining(`127.0.0.1:${port}`),
    hint: expect.stringContaining('--port'),
  });
  await nothingLeft();
  other.close();
});
