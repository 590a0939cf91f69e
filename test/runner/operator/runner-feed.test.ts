import { once } from 'node:events';
import { connect } from 'node:net';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { PlacedCall } from '../../../src/call/placed-call.js';
import type { RunnerStatus } from '../../../src/call/runner-status.js';
import { madeCall } from '../../call/view/made-call.js';
import { until } from '../../e2e/processes.js';
import { PAGE_TOKEN, PageServer } from '../../page/page-server.js';
import { send } from '../hand-carrier.js';
import { EventReader } from './event-reader.js';

afterEach(() => {
  jest.useRealTimers();
});

const follow = (server: PageServer, headers = {}) => EventReader.open(`${server.url}/events`, headers);

test('whoever follows the runner is told all calls, then its status, then each change', async () => {
  await using server = await PageServer.start();
  const first = madeCall({ id: 'first', untilMs: 5_000 });
  server.begin(first);
  server.registry.end(first.record.id, 'bot_ended');
  server.begin(madeCall({ id: 'second', untilMs: 5_000 }));
  await using reader = await follow(server);
  const status = await reader.next<RunnerStatus>('status');
  expect(status).toMatchObject({ state: 'ready', botFile: 'bakery.ts', liveCalls: 1 });
  expect(reader.events.all.map(({ event, data }) => [event, JSON.parse(data).id])).toEqual([
    ['call', 'first'],
    ['call', 'second'],
    ['status', undefined],
  ]);
  server.registry.update(madeCall({ id: 'second' }).record.id, { state: 'transferring' });
  expect(await reader.next<CallRecord>('call')).toMatchObject({ id: 'second', state: 'transferring' });
});

test('a change of the status is told when it is seen, once', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout', 'performance'],
  });
  await using server = await PageServer.start();
  await using reader = await follow(server);
  await reader.next('status');
  jest.advanceTimersByTime(3_000);
  server.status = { ...server.status, state: 'unreachable' };
  jest.advanceTimersByTime(3_000);
  expect(await reader.next<RunnerStatus>('status', ({ state }) => state === 'unreachable')).toBeDefined();
  jest.advanceTimersByTime(10_000);
  await until(() => reader.text.includes(':\n\n'), 'a heartbeat');
  const states = reader.events.all.map(({ data }) => JSON.parse(data).state);
  expect(states.filter((state) => state === 'unreachable')).toHaveLength(1);
});

test('a program elsewhere follows with the token', async () => {
  await using server = await PageServer.start({ isOpenLocally: false });
  await expect(follow(server)).rejects.toThrow('HTTP 401');
  await using reader = await follow(server, { authorization: `Bearer ${PAGE_TOKEN}` });
  await reader.next('status');
});

test('the head of the events is told without them', async () => {
  await using server = await PageServer.start();
  expect(await send(`${server.url}/events`, { method: 'HEAD' })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
});

test('so many follow at once, and no more', async () => {
  await using server = await PageServer.start();
  const readers = await Promise.all(Array.from({ length: 64 }, () => follow(server)));
  expect(await send(`${server.url}/events`)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
  await until(async () => {
    const response = await fetch(`${server.url}/events`);
    await response.body?.cancel();
    return response.status === 200;
  }, 'there is room again');
});

test('one who does not read is cut off, and the others are told on', async () => {
  await using server = await PageServer.start();
  await using reader = await follow(server);
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`GET /events HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
  await once(socket, 'readable');
  const closed = once(socket, 'close');
  const call = madeCall({ untilMs: 5_000 });
  server.begin(call);
  const text = 'x'.repeat(100_000);
  for (let count = 0; count < 130; count += 1) {
    server.registry.update(call.record.id, { answeredBy: text as never });
    await new Promise(setImmediate); // the one who reads has its turn
  }
  socket.resume();
  socket.on('error', () => {});
  await closed;
  expect(socket.bytesRead).toBeLessThan(13_000_000);
  server.registry.update(call.record.id, { state: 'transferring' });
  await reader.next<CallRecord>('call', ({ state }) => state === 'transferring');
});

test('the last words of a call are those of now, for one who follows already and for one who comes', async () => {
  await using server = await PageServer.start();
  const call = madeCall({ untilMs: 1_000 });
  server.begin(call);
  const say = (text: string) =>
    server.registry.timelines.receive(call.record.id, [
      { at: Date.now(), source: 'bot', type: 'said', speaker: 'bot', text },
    ]);
  const last = ({ summary }: PlacedCall) => summary?.lastWords?.text;
  say('Good morning.');
  await using early = await follow(server);
  expect(last(await early.next<PlacedCall>('call'))).toBe('Good morning.');
  await early.next('status');
  say('We bake until noon.');
  server.registry.update(call.record.id, { state: 'transferring' });
  expect(last(await early.next<PlacedCall>('call', ({ state }) => state === 'transferring'))).toBe(
    'We bake until noon.',
  );
  await using late = await follow(server);
  expect(last(await late.next<PlacedCall>('call'))).toBe('We bake until noon.');
});
