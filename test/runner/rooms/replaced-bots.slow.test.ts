import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, until } from '../../e2e/processes.js';
import { startCall } from '../hand-carrier.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { expectNotReplaced, expectReplacedTwice } from './failing-bots.js';
import type { RoomBot } from './hand-rooms.js';
import { passTime } from './hold-time.js';
import { ANSWERED, CONNECTED, callFields, RunnerOnRooms, roomPuppet } from './runner-on-rooms.js';

/** How long a bot may take to be in its room until another one is tried beside it, and longest that a call waits for one. */
const BESIDE_MS = 6_000;
const JOIN_LIMIT_MS = 20_000;

/** Many tests start several processes, and other tests run beside these. */
jest.setTimeout(60_000);

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test.each(['throws', 'ends its process', 'is killed', 'hangs'] as const)(
  'a bot that %s while it talks is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, CONNECTED),
);

test('a bot that throws after it has said how the call ended is not replaced', async () => {
  muteBots();
  await expectNotReplaced('throws', IN_PROCESS);
});

describe('a bot that does not join', () => {
  test('gets another one beside it after 6 s, and a third; after 20 s the call is over', async () => {
    await using served = await RunnerOnRooms.serve({ warm: 3 });
    await served.ready(3);
    holdTimers();
    const bots = [await served.call('call-1')];
    for (const attempt of [2, 3]) {
      await passTime(BESIDE_MS - 1, ...bots);
      expect(served.rooms.bots).toHaveLength(attempt - 1);
      jest.advanceTimersByTime(1);
      bots.push(await served.rooms.bot('call-1', attempt));
    }
    await passTime(JOIN_LIMIT_MS - 2 * BESIDE_MS - 1, ...bots);
    expect(served.runner.liveCalls).toBe(1);
    for (const { hello } of bots) expect(isAlive(hello.pid)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await served.ended('call-1')).toMatchObject({ endReason: 'bot_timeout', attempt: 3 });
    for (const { hello } of bots) await until(() => !isAlive(hello.pid), 'the bots that did not join are ended');
    const [{ room }] = bots as [RoomBot];
    await served.closed(room);
    expect(bots.map((bot) => bot.room)).toEqual([room, room, room]);
  });

  test.each([
    ['the first', 0],
    ['the second', 1],
  ])('loses the call to %s that does; nothing that it says afterwards means anything', async (_, first) => {
    await using served = await RunnerOnRooms.serve({ callsPerProcess: 3, warm: 2 });
    await served.ready(2);
    const other = await served.connectedCall();
    const { pid } = other.hello;
    holdTimers();
    const slow = await served.call('slow');
    expect(slow.hello.pid).toBe(pid);
    await passTime(BESIDE_MS, slow, other);
    const beside = await served.rooms.bot('slow', 2);
    expect(beside.hello).toMatchObject({ room_url: slow.hello.room_url, token: slow.hello.token });
    expect(beside.hello.pid).not.toBe(pid); // its own process still has the first one
    const [has, loses] = first === 0 ? [slow, beside] : [beside, slow];
    if (loses === slow) await loses.order('ignore_stop');
    await has.tell({ type: 'joined' }, { type: 'connected' });
    if (loses === beside) await until(() => !isAlive(loses.hello.pid), 'a process whose only call is lost is ended');
    else {
      expect(await loses.askedToEnd).toMatchObject({ isReplaced: true });
      await loses.tell({ type: 'joined' }, { type: 'forwarded' }, { type: 'over', reason: 'caller_hung_up' });
      expect(await loses.checkTarget('+12025550101')).toMatchObject({ code: 'VB_TARGET_REFUSED' });
      void loses.order('return');
      await loses.left;
    }
    await other.tell();
    expect(served.statesOf('slow')).toEqual(['ringing', 'starting', 'connected']);

    void has.order('throw');
    await until(() => served.rooms.bots.length === 4, 'the bot that had the call is replaced');
    const next = served.rooms.bots[3] as RoomBot;
    expect(next.hello.past).toEqual({ isForwarded: false });
    void next.order('return');
    expect(await served.ended(next)).toMatchObject({ endReason: 'bot_ended' });
    await other.tell({ type: 'over', reason: 'caller_hung_up' });
    void other.order('return');
    expect(await served.ended(other)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  });

  test('in time, and does so later, keeps its call for as long as it likes', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    holdTimers();
    const bot = await served.call();
    await passTime(BESIDE_MS - 1, bot);
    await bot.tell({ type: 'joined' }, { type: 'connected' });
    await passTime(60_000, bot);
    expect(served.rooms.bots).toHaveLength(1);
    expect(served.runner.liveCalls).toBe(1);
  });

  test('because it has failed is followed at once', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    muteBots();
    holdTimers();
    const bot = await served.call('call-1');
    for (const attempt of [1, 2, 3])
      void (attempt === 1 ? bot : await served.rooms.bot('call-1', attempt)).order('throw');
    expect(await served.ended('call-1')).toMatchObject({ endReason: 'bot_crashed', attempt: 3 });
  });
});

test('a bot that throws leaves the other calls of its process alone', async () => {
  await using served = await RunnerOnRooms.serve({ callsPerProcess: 3 });
  const failing = await served.call('failing');
  const others = [await served.connectedCall(), await served.connectedCall()];
  void failing.order('throw');
  await served.rooms.bot('failing', 2);
  for (const other of others) {
    expect(other.hello.pid).toBe(failing.hello.pid);
    await other.tell({ type: 'transferring' });
    expect(served.statesOf(other.hello.call.id).at(-1)).toBe('transferring');
  }
});

test('a process that ends gives all its calls other bots, each in its own room', async () => {
  await using served = await RunnerOnRooms.serve({ callsPerProcess: 3 });
  const bots = [await served.call(), await served.call(), await served.call()];
  process.kill(bots[0]?.hello.pid ?? 0, 'SIGKILL');
  for (const { hello, room } of bots) {
    expect((await served.rooms.bot(hello.call.id, 2)).room).toBe(room);
  }
});

describe('a bot that is killed while its transfer rings', () => {
  const transfer = {
    to: '+12025550101',
    leg: { sessionId: 'caller', kind: 'dial-in' },
    destination: 'operator',
    isRinging: true,
  } as const;
  const killed = async (served: RunnerOnRooms) => {
    const bot = await served.connectedCall();
    const { id } = bot.hello.call;
    await bot.tell({ type: 'transferring', transfer });
    process.kill(bot.hello.pid, 'SIGKILL');
    return { id, next: await served.rooms.bot(id, 2) };
  };

  test('hands it to the next one, which says that it succeeded: the room is left to the two who talk', async () => {
    await using served = await RunnerOnRooms.serve();
    const { id, next } = await killed(served);
    expect(next.hello.past).toMatchObject({ transfer });
    expect(served.statesOf(id).at(-1)).toBe('transferring');
    await next.tell({ type: 'joined' }, { type: 'over', reason: 'transferred' });
    void next.order('return');
    expect(await served.ended(next)).toMatchObject({ endReason: 'transferred', attempt: 2 });
    await served.everythingArrived();
    expect(served.rooms.open).toContain(next.room);
  });

  test('hands on nothing of one that came to nothing', async () => {
    await using served = await RunnerOnRooms.serve();
    const { id, next } = await killed(served);
    await next.tell({ type: 'joined' }, { type: 'transfer_failed' });
    process.kill(next.hello.pid, 'SIGKILL');
    expect((await served.rooms.bot(id, 3)).hello.past).not.toHaveProperty('transfer');
  });
});

describe('the bot that takes over is told what has been done,', () => {
  let served: RunnerOnRooms;
  beforeAll(async () => {
    served = await RunnerOnRooms.serve(IN_PROCESS);
  });
  beforeEach(muteBots);
  afterAll(() => served[Symbol.asyncDispose]());

  test.each([
    ['when the first had joined', CONNECTED.slice(0, 1), false],
    ['when the caller was on the way', CONNECTED.slice(0, 2), true],
    ['when the caller was there', CONNECTED, true],
  ])('in a call that came in: %s', async (_, news, isForwarded) => {
    const bot = await served.call();
    await bot.tell(...news);
    void bot.order('throw');
    const { id } = bot.hello.call;
    const next = await served.rooms.bot(id, 2);
    expect(next.hello.past).toEqual({ isForwarded });
    expect(served.statesOf(id).at(-1)).toBe('starting');
  });

  test.each([
    ['when the first had joined', ANSWERED.slice(0, 1), undefined, 'dialling'],
    ['while it rang', ANSWERED.slice(0, 3), { sessionId: 'session-1', isAnswered: false }, 'ringing'],
    ['when it had been answered', ANSWERED, { sessionId: 'session-1', isAnswered: true }, 'starting'],
  ])('in a call that goes out: %s', async (_, news, dialout, state) => {
    const bot = await served.dial();
    await bot.tell(...news);
    void bot.order('throw');
    const { id } = bot.hello.call;
    const next = await served.rooms.bot(id, 2);
    const { room_url, token, phone_number, body } = bot.hello;
    expect(next.hello).toMatchObject({ room_url, token, phone_number, body });
    expect(next.hello.past).toEqual({ isForwarded: false, ...(dialout && { dialout }) });
    expect(served.statesOf(id).at(-1)).toBe(state);
  });
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

test.each(['throws', 'ends its process', 'is killed', 'hangs'] as const)(
  'a bot that %s before it has joined is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, []),
);

test.each(['ends its process', 'is killed', 'hangs'] as const)(
  'a bot that %s after it has said how the call ended is not replaced',
  (failure) => expectNotReplaced(failure),
);
