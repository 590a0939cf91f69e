import { randomUUID } from 'node:crypto';
import type { RunnerOptions } from '../../../src/runner/runner-options.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import type { RoomBot } from './hand-rooms.js';
import { ANSWERED, callFields, RunnerOnRooms } from './runner-on-rooms.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** So low that no sign of life of the bot's process is due before. The last 5 s are for the goodbye. */
const SEVEN_SECONDS: Partial<RunnerOptions> = { maxCallSeconds: 7, dialMaxSeconds: 900 };

async function dialledCall(served: RunnerOnRooms): Promise<RoomBot> {
  const bot = await served.dial();
  await bot.tell(...ANSWERED);
  return bot;
}

describe.each<[string, Partial<RunnerOptions>, (served: RunnerOnRooms) => Promise<RoomBot>]>([
  ['a call that came in', SEVEN_SECONDS, (served) => served.connectedCall()],
  ['a call that went out, by the limit of all calls,', SEVEN_SECONDS, dialledCall],
  ['a call that went out, by its own limit,', { maxCallSeconds: 3_600, dialMaxSeconds: 7 }, dialledCall],
])('%s that becomes too long', (_, options, open) => {
  test('is ended by its bot, which is asked to 5 s before', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...options });
    holdTimers();
    const bot = await open(served);
    jest.advanceTimersByTime(1_999);
    await bot.tell();
    jest.advanceTimersByTime(1);
    expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
    await served.closed(bot.room);
  });

  test('is ended with its room when its bot does not', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...options });
    holdTimers();
    const bot = await open(served);
    await bot.order('ignore_stop');
    jest.advanceTimersByTime(2_000);
    await bot.askedToEnd;
    await bot.tell({ type: 'over', reason: 'bot_ended' }); // and so it says, but stays
    jest.advanceTimersByTime(4_999);
    await bot.tell();
    expect(served.runner.liveCalls).toBe(1);
    expect(served.rooms.open).toContain(bot.room);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached' });
    await served.closed(bot.room);
    await bot.left;
  });
});

describe('the length of a call', () => {
  test('counts from its arrival when nobody ever connects it', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    const bot = await served.call();
    await bot.tell({ type: 'joined' });
    jest.advanceTimersByTime(2_000);
    await bot.askedToEnd;
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached' });
    await served.closed(bot.room);
  });

  test('counts from the answer when it goes out, however long it rang', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, dialMaxSeconds: 7 });
    await served.ready();
    holdTimers();
    const bot = await served.dial();
    await bot.tell(...ANSWERED.slice(0, 3));
    jest.advanceTimersByTime(5_000);
    await bot.tell({ type: 'connected' });
    jest.advanceTimersByTime(1_999);
    await bot.tell();
    expect(served.runner.liveCalls).toBe(1);
    jest.advanceTimersByTime(1);
    await bot.askedToEnd;
  });

  test('goes on counting when another bot takes over', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    const first = await served.connectedCall();
    jest.advanceTimersByTime(1_000);
    void first.order('throw');
    const second = await served.rooms.bot(first.hello.call.id, 2);
    await second.tell({ type: 'joined' }, { type: 'connected' });
    jest.advanceTimersByTime(999);
    await second.tell();
    jest.advanceTimersByTime(1);
    expect(await second.askedToEnd).toMatchObject({ isReplaced: false });
    expect(await served.ended(second)).toMatchObject({ endReason: 'limit_reached', attempt: 2 });
  });

  test('ends a call whose bot crashes over its goodbye, without another bot', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    const bot = await served.connectedCall();
    await bot.order('ignore_stop');
    jest.advanceTimersByTime(2_000);
    await bot.askedToEnd;
    void bot.order('throw');
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
    await served.closed(bot.room);
    expect(served.rooms.bots).toHaveLength(1);
  });

  test('ends a call whose room does not come', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    let create = () => {};
    const created = new Promise<void>((resolve) => {
      create = resolve;
    });
    served.rooms.respond = async ({ method }) => void (method === 'createRoom' && (await created));
    const callId = randomUUID();
    const answer = served.webhook(callFields(callId));
    await served.rooms.next('createRoom');
    jest.advanceTimersByTime(7_000);
    expect((await answer).status).toBe(200);
    expect(await served.ended(callId)).toMatchObject({ endReason: 'limit_reached' });
    create();
    await served.closed(await served.rooms.next('deleteRoom'));
    expect(served.rooms.bots).toEqual([]);
  });

  test('does not cut off those whom its bot has connected, even when that is still busy', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    const bot = await served.connectedCall();
    await bot.order('ignore_stop');
    await bot.tell({ type: 'transferring' }, { type: 'over', reason: 'transferred' });
    jest.advanceTimersByTime(2_000);
    await bot.askedToEnd;
    jest.advanceTimersByTime(5_000);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'transferred' });
    await served.everythingArrived();
    expect(served.rooms.asked('deleteRoom')).toEqual([]);
  });

  test('does not cut off those whom its bot connects as its goodbye', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
    holdTimers();
    const bot = await served.connectedCall();
    await bot.order('ignore_stop');
    await bot.tell({ type: 'transferring' });
    jest.advanceTimersByTime(2_000);
    await bot.askedToEnd;
    await bot.tell({ type: 'over', reason: 'transferred' });
    void bot.order('return');
    expect(await served.ended(bot)).toMatchObject({ endReason: 'transferred' });
    await served.everythingArrived();
    expect(served.rooms.asked('deleteRoom')).toEqual([]);
  });
});

describe('a call on which nobody says anything', () => {
  test('is ended by its bot, which is asked to', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const bot = await served.connectedCall();
    void bot.order('tell', { type: 'silent' });
    expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached', attempt: 1 });
    await served.closed(bot.room);
  });

  test('is ended with its room 5 s later when its bot does not, however often it says so', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const bot = await served.connectedCall();
    await bot.order('ignore_stop');
    await bot.tell({ type: 'silent' });
    await bot.askedToEnd;
    jest.advanceTimersByTime(4_999);
    await bot.tell({ type: 'silent' });
    expect(served.runner.liveCalls).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'limit_reached' });
    await served.closed(bot.room);
  });
});

test('a call that was over before its limit is left in peace', async () => {
  await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, ...SEVEN_SECONDS });
  holdTimers();
  const bot = await served.connectedCall();
  await bot.tell({ type: 'over', reason: 'caller_hung_up' });
  void bot.order('return');
  await served.ended(bot);
  await served.closed(bot.room);
  jest.advanceTimersByTime(7_000);
  await served.everythingArrived();
  expect(served.rooms.asked('deleteRoom')).toHaveLength(1);
  expect(served.records.all.filter(({ state }) => state === 'ended')).toHaveLength(1);
});

test('a call that goes on for longer than its webhook is remembered has one bot, whoever tells of it again', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.connectedCall();
  const now = performance.now.bind(performance);
  const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 16 * 60_000);
  try {
    expect((await served.webhook(callFields(bot.hello.call.id))).status).toBe(200);
    expect((await served.webhook(callFields(bot.hello.call.id))).status).toBe(200);
    expect(served.rooms.asked('createRoom')).toHaveLength(1);
    void bot.order('return');
    await served.ended(bot);
    await served.webhook(callFields(bot.hello.call.id)); // another call by now
    expect(served.rooms.asked('createRoom')).toHaveLength(2);
  } finally {
    later.mockRestore();
  }
});
