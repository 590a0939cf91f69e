import { until } from '../../e2e/processes.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import type { RoomBot } from './hand-rooms.js';
import { passTime } from './hold-time.js';
import { ANSWERED, CONNECTED, RunnerOnRooms } from './runner-on-rooms.js';

/** How long a bot may take to be in its room until another one is tried beside it, and longest that a call waits for one. */
const BESIDE_MS = 6_000;
const JOIN_LIMIT_MS = 20_000;

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('a bot that fails before it has joined is followed at once, twice, in the same room; then the call is over', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  holdTimers();
  const bot = await served.call('call-1');
  const { room_url, token, body } = bot.hello;
  void bot.order('throw');
  for (const attempt of [2, 3]) {
    const next = await served.rooms.bot('call-1', attempt);
    expect(next.hello).toMatchObject({ room_url, token, body, past: { isForwarded: false } });
    void next.order('throw');
  }
  expect(await served.ended('call-1')).toMatchObject({ endReason: 'bot_crashed', attempt: 3 });
  await served.closed(bot.room);
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
  expect(served.rooms.bots).toHaveLength(3);
});

describe('a bot that does not join', () => {
  test('gets another one beside it after 6 s, and a third; after 20 s the call is over', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
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
    jest.advanceTimersByTime(1);
    expect(await served.ended('call-1')).toMatchObject({ endReason: 'bot_timeout', attempt: 3 });
    for (const bot of bots) await bot.left;
    const [{ room }] = bots as [RoomBot];
    await served.closed(room);
    expect(bots.map((bot) => bot.room)).toEqual([room, room, room]);
  });

  test.each([
    ['the first', 0],
    ['the second', 1],
  ])('loses the call to %s that does; nothing that it says afterwards means anything', async (_, first) => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const slow = await served.call('slow');
    await passTime(BESIDE_MS, slow);
    const beside = await served.rooms.bot('slow', 2);
    expect(beside.hello).toMatchObject({ room_url: slow.hello.room_url, token: slow.hello.token });
    const [has, loses] = first === 0 ? [slow, beside] : [beside, slow];
    await loses.order('ignore_stop');
    await has.tell({ type: 'joined' }, { type: 'connected' });
    expect(await loses.askedToEnd).toMatchObject({ isReplaced: true });
    await loses.tell({ type: 'joined' }, { type: 'forwarded' }, { type: 'over', reason: 'caller_hung_up' });
    expect(await loses.checkTarget('+12025550101')).toMatchObject({ code: 'VB_TARGET_REFUSED' });
    void loses.order('return');
    await loses.left;
    expect(served.statesOf('slow')).toEqual(['ringing', 'starting', 'connected']);

    void has.order('throw');
    await until(() => served.rooms.bots.length === 3, 'the bot that had the call is replaced');
    const next = served.rooms.bots[2] as RoomBot;
    expect(next.hello.past).toEqual({ isForwarded: false });
    void next.order('return');
    expect(await served.ended(next)).toMatchObject({ endReason: 'bot_ended' });
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
});

describe('a bot that fails while its transfer rings', () => {
  const transfer = {
    to: '+12025550101',
    leg: { sessionId: 'caller', kind: 'dial-in' },
    destination: 'operator',
    isRinging: true,
  } as const;
  const failed = async (served: RunnerOnRooms) => {
    const bot = await served.connectedCall();
    const { id } = bot.hello.call;
    await bot.tell({ type: 'transferring', transfer });
    void bot.order('throw');
    return { id, next: await served.rooms.bot(id, 2) };
  };

  test('hands it to the next one, which says that it succeeded: the room is left to the two who talk', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const { id, next } = await failed(served);
    expect(next.hello.past).toMatchObject({ transfer });
    expect(served.statesOf(id).at(-1)).toBe('transferring');
    await next.tell({ type: 'joined' }, { type: 'over', reason: 'transferred' });
    void next.order('return');
    expect(await served.ended(next)).toMatchObject({ endReason: 'transferred', attempt: 2 });
    await served.everythingArrived();
    expect(served.rooms.open).toContain(next.room);
  });

  test('hands on nothing of one that came to nothing', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const { id, next } = await failed(served);
    await next.tell({ type: 'joined' }, { type: 'transfer_failed' });
    void next.order('throw');
    expect((await served.rooms.bot(id, 3)).hello.past).not.toHaveProperty('transfer');
  });
});

describe('the bot that takes over is told what has been done,', () => {
  let served: RunnerOnRooms;
  beforeAll(async () => {
    served = await RunnerOnRooms.serve(IN_PROCESS);
  });
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

  test('in a call that goes out: when the first may have dialled, and has not told of the leg', async () => {
    const bot = await served.dial();
    await bot.tell(...ANSWERED.slice(0, 1));
    await bot.checkTarget(bot.hello.phone_number ?? '');
    void bot.order('throw');
    const next = await served.rooms.bot(bot.hello.call.id, 2);
    expect(next.hello.past).toEqual({ isForwarded: false, isDialling: true });
  });
});
