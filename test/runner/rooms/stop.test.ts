import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../e2e/processes.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { HandRooms } from './hand-rooms.js';
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

test('a bot that does not end its call when asked is ended 5 s later, and its room closed', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS, rooms);
  await served.ready();
  holdTimers();
  const bot = await served.connectedCall();
  await bot.order('ignore_stop');
  const stopped = served.runner.stop({ drainMs: 0 });
  jest.advanceTimersByTime(0);
  await bot.askedToEnd;
  jest.advanceTimersByTime(4_999);
  await bot.tell();
  expect(rooms.open).toContain(bot.room);
  jest.advanceTimersByTime(1);
  await stopped;
  expect(await served.ended(bot)).toMatchObject({ endReason: 'runner_stopped' });
  expect(rooms.open.size).toBe(0);
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
