import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, until } from '../../e2e/processes.js';
import { startCall } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { passTime } from './hold-time.js';
import { CONNECTED, callFields, RunnerOnRooms, roomPuppet } from './runner-on-rooms.js';

afterEach(() => jest.useRealTimers());

test('a process that ends gives all its calls other bots, each in its own room', async () => {
  await using served = await RunnerOnRooms.serve({ callsPerProcess: 3 });
  const bots = [await served.call(), await served.call(), await served.call()];
  process.kill(bots[0]?.hello.pid ?? 0, 'SIGKILL');
  for (const { hello, room } of bots) {
    expect((await served.rooms.bot(hello.call.id, 2)).room).toBe(room);
  }
});

test.each([
  ['talks', CONNECTED, 2_000],
  ['has not joined', [], 8_000],
])('a bot that hangs while it %s is replaced in its room, and its process ended', async (_, news, silenceMs) => {
  await using served = await RunnerOnRooms.serve({ warm: 2 });
  await served.ready(2);
  holdTimers();
  const bot = await served.call('call-1');
  await bot.tell(...news);
  void bot.order('block');
  await served.output.next((line) => line === 'blocks');
  await served.everythingArrived(); // the last sign of life among it
  jest.advanceTimersByTime(silenceMs);
  const next = await served.rooms.bot('call-1', 2);
  expect([next.room, next.hello.pid === bot.hello.pid]).toEqual([bot.room, false]);
  await until(() => !isAlive(bot.hello.pid), 'the process that hangs is ended');
});

test('a process whose only bot has lost its call to another one is ended, and one with another call is not', async () => {
  await using served = await RunnerOnRooms.serve({ callsPerProcess: 3, warm: 2 });
  await served.ready(2);
  const other = await served.connectedCall();
  holdTimers();
  const slow = await served.call('slow');
  expect(slow.hello.pid).toBe(other.hello.pid);
  await passTime(6_000, slow, other);
  const beside = await served.rooms.bot('slow', 2);
  expect(beside.hello.pid).not.toBe(slow.hello.pid); // its own process still has the first one
  await slow.tell({ type: 'joined' });
  await until(() => !isAlive(beside.hello.pid), 'a process whose only call is lost is ended');
  await other.tell();
});

describe('when no bot becomes ready', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-bot-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('and none can be loaded, a call is over at once and has no room', async () => {
    const botFile = join(directory, 'bot.mjs');
    const puppet = readFileSync(roomPuppet, 'utf8').replaceAll(/from '(\.[^']*|ws)'/g, (_, name) => {
      return `from '${import.meta.resolve(name === 'ws' ? name : new URL(name, new URL(`file://${roomPuppet}`)).href)}'`;
    });
    writeFileSync(botFile, puppet);
    await using served = await RunnerOnRooms.serve({ botFile });
    writeFileSync(botFile, 'nonsense;');
    holdTimers();
    const first = await served.call();
    await first.tell({ type: 'joined' });
    await served.problems.next();
    const { status, body } = await served.webhook(callFields('call-2'));
    expect([status, JSON.parse(body).error.code]).toEqual([503, 'VB_BOT_LOAD_FAILED']);
    expect(await served.ended('call-2')).toMatchObject({ endReason: 'no_bot', attempt: 1 });
    expect([...served.rooms.open]).toEqual([first.room]);
    const dialled = await startCall(served.runner);
    expect([dialled.status, dialled.body.error.code]).toEqual([503, 'VB_BOT_LOAD_FAILED']);
  });
});
