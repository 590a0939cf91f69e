import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, until } from '../../e2e/processes.js';
import { send } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { HandRooms } from './hand-rooms.js';
import { passTime } from './hold-time.js';
import { callFields, RunnerOnRooms } from './runner-on-rooms.js';

let rooms: HandRooms;
beforeEach(async () => {
  rooms = await HandRooms.start();
});
beforeEach(muteBots);
afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  await rooms[Symbol.asyncDispose]();
});

const nothingLeft = () => until(() => childrenOf(process.pid, /bot-main/).length === 0, 'no bot process is left');

test('a live call goes on to its end, and its room is closed before the runner is gone', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, drainMs: 60_000 }, rooms);
  const bot = await served.connectedCall();
  const { url } = served.runner;
  const stopped = served.runner.stop();
  await bot.tell({ type: 'transferring' }, { type: 'transfer_failed' }, { type: 'over', reason: 'caller_hung_up' });
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  await stopped;
  expect(rooms.open.size).toBe(0);
  await nothingLeft();
  await expect(send(`${url}/health`)).rejects.toThrow();
});

test('a bot that crashes while the runner waits is still replaced', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, drainMs: 60_000 }, rooms);
  const bot = await served.connectedCall();
  void served.runner.stop();
  void bot.order('throw');
  expect((await rooms.bot(bot.hello.call.id, 2)).room).toBe(bot.room);
});

test.each([
  ['a call that came in', (served: RunnerOnRooms) => served.connectedCall()],
  ['a call that goes out', (served: RunnerOnRooms) => served.dial()],
])('after the wait the bot of %s is asked to end it, which it does because the runner stops', async (_, open) => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, drainMs: 6_000 }, rooms);
  await served.ready();
  holdTimers();
  const bot = await open(served);
  await bot.tell({ type: 'joined' });
  const stopped = served.runner.stop();
  jest.advanceTimersByTime(5_999);
  await bot.tell();
  expect(served.runner.liveCalls).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
  expect(await served.ended(bot)).toMatchObject({ endReason: 'runner_stopped', attempt: 1 });
  await stopped;
  expect(rooms.open.size).toBe(0);
  await nothingLeft();
});

test('a bot that does not end its call when asked is ended 5 s later, and its room closed', async () => {
  await using served = await RunnerOnRooms.serve({}, rooms);
  await served.ready();
  holdTimers();
  const bot = await served.connectedCall();
  await bot.order('ignore_stop');
  const stopped = served.runner.stop({ drainMs: 0 });
  jest.advanceTimersByTime(0);
  await bot.askedToEnd;
  await passTime(4_999, bot);
  expect(rooms.open).toContain(bot.room);
  jest.advanceTimersByTime(1);
  await stopped;
  expect(await served.ended(bot)).toMatchObject({ endReason: 'runner_stopped' });
  expect(rooms.open.size).toBe(0);
  await nothingLeft();
});

test('asked a second time it waits no longer', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS, rooms);
  const bot = await served.connectedCall();
  await bot.order('ignore_stop');
  const stopped = served.runner.stop({ drainMs: 600_000 });
  expect(served.runner.stop()).toBe(stopped);
  await stopped;
  expect(await served.ended(bot)).toMatchObject({ endReason: 'runner_stopped' });
  await nothingLeft();
});

test('those whom a bot has connected go on talking, even when it had not returned yet', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS, rooms);
  await served.ready();
  holdTimers();
  const bot = await served.connectedCall();
  await bot.order('ignore_stop');
  await bot.tell({ type: 'transferring' }, { type: 'over', reason: 'transferred' });
  const stopped = served.runner.stop({ drainMs: 0 });
  jest.advanceTimersByTime(0);
  await bot.askedToEnd;
  jest.advanceTimersByTime(5_000);
  await stopped;
  expect(await served.ended(bot)).toMatchObject({ endReason: 'transferred' });
  expect(rooms.asked('deleteRoom')).toEqual([]);
  await nothingLeft();
});

test('how a call had ended before stands', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS, rooms);
  const bot = await served.connectedCall();
  await bot.tell({ type: 'over', reason: 'caller_hung_up' });
  await served.runner.stop({ drainMs: 0 });
  expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  expect(rooms.open.size).toBe(0);
});

test('a call whose room does not come holds it up no longer than its time, and the room is closed when it comes', async () => {
  let create = () => {};
  const created = new Promise<void>((resolve) => {
    create = resolve;
  });
  rooms.respond = async ({ method }) => void (method === 'createRoom' && (await created));
  await using served = await RunnerOnRooms.serve(IN_PROCESS, rooms);
  const answer = served.webhook(callFields('call-1')).catch(() => undefined);
  const { name } = await rooms.next('createRoom');
  await Promise.all([served.runner.stop(), served.runner.stop()]);
  expect(await served.ended('call-1')).toMatchObject({ endReason: 'runner_stopped' });
  create();
  await answer;
  const isOwed = () => existsSync(join(served.stateDirectory, 'room-ends', `${name}.json`));
  await until(isOwed, 'the runner has written down that it owes the end of the room');
  await using _next = await RunnerOnRooms.serve({ ...IN_PROCESS, stateDirectory: served.stateDirectory }, rooms);
  await until(() => rooms.open.size === 0, 'the next runner closes it');
  expect(rooms.bots).toEqual([]);
});

test('a runner without calls ends at once, with everything it started', async () => {
  await using served = await RunnerOnRooms.serve({ warm: 2 }, rooms);
  await served.ready(2);
  await served.runner.stop({ drainMs: 60_000 });
  await nothingLeft();
  expect(rooms.requests.all).toEqual([]);
});
