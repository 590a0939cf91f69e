import type { EndReason } from '../../../src/call/call.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { passTime } from './hold-time.js';
import { RunnerOnRooms } from './runner-on-rooms.js';

afterEach(() => {
  jest.useRealTimers();
});

test('a call goes from ringing to its end as its bot tells it', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.call('call-1');
  await bot.tell({ type: 'joined' }, { type: 'forwarded' });
  expect(served.statesOf('call-1')).toEqual(['ringing', 'starting']);
  await bot.tell({ type: 'connected' }, { type: 'transferring' }, { type: 'over', reason: 'transferred' });
  expect(served.runner.liveCalls).toBe(1); // its bot may have something to save
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({
    endReason: 'transferred',
    attempt: 1,
    direction: 'inbound',
    providerCallId: 'call-1',
    answeredAt: expect.any(Number),
    connectedAt: expect.any(Number),
  });
  expect(served.statesOf('call-1')).toEqual(['ringing', 'starting', 'connected', 'transferring', 'ended']);
});

test('a transfer that comes to nothing leaves the call connected, and another may follow', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.connectedCall();
  await bot.tell({ type: 'transferring' }, { type: 'transfer_failed' }, { type: 'transferring' });
  await bot.tell({ type: 'transfer_failed' }, { type: 'over', reason: 'caller_hung_up' });
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  expect(served.statesOf(bot.hello.call.id).slice(2)).toEqual([
    'connected',
    'transferring',
    'connected',
    'transferring',
    'connected',
    'ended',
  ]);
});

describe('a bot that is in its room has 45 s', () => {
  test('to connect its caller; then it is asked to end the call, which was never connected', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const bot = await served.call('call-1');
    await bot.tell({ type: 'joined' });
    await passTime(44_999, bot);
    expect(served.statesOf('call-1')).toEqual(['ringing', 'starting']);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'not_connected', attempt: 1 });
    expect(await bot.askedToEnd).toMatchObject({ isReplaced: false });
    await served.closed(bot.room);
  });

  test('and 15 s once the caller hears no music any more', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const bot = await served.call('call-1');
    await bot.tell({ type: 'joined' }, { type: 'forwarded' });
    await passTime(14_999, bot);
    expect(served.statesOf('call-1')).toEqual(['ringing', 'starting']);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'not_connected' });
  });

  test('and as long as it likes once the caller is there', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const bot = await served.call('call-1');
    await bot.tell({ type: 'joined' }, { type: 'forwarded' }, { type: 'connected' });
    await passTime(60_000, bot);
    expect(served.statesOf('call-1')).toEqual(['ringing', 'starting', 'connected']);
  });

  test('and says why when it knows', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.ready();
    holdTimers();
    const bot = await served.call('call-1');
    await bot.tell({ type: 'joined' }, { type: 'over', reason: 'caller_hung_up' });
    await passTime(44_999, bot);
    jest.advanceTimersByTime(1);
    expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  });
});

test('a room that is gone ends its call, and no other bot is started for it', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.connectedCall();
  await bot.tell({ type: 'over', reason: 'room_closed' });
  void bot.order('throw');
  expect(await served.ended(bot)).toMatchObject({ endReason: 'room_closed', attempt: 1 });
});

test('a room that does not let its first bot in because it is gone ends its call', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.call('call-1');
  void bot.order('tell', { type: 'over', reason: 'room_closed' });
  expect(await served.ended(bot)).toMatchObject({ endReason: 'room_closed', attempt: 1 });
});

test('a caller is not said to ring because a bot calls somebody else', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.connectedCall();
  await bot.tell({ type: 'ringing' });
  expect(served.statesOf(bot.hello.call.id)).toEqual(['ringing', 'starting', 'connected']);
});

describe('a call ends for the reason that its bot has seen', () => {
  test.each<EndReason>(['caller_hung_up', 'bot_ended', 'provider_error', 'telephony_error', 'voicemail'])(
    '%s',
    async (reason) => {
      await using served = await RunnerOnRooms.serve(IN_PROCESS);
      const bot = await served.connectedCall();
      await bot.tell({ type: 'over', reason });
      void bot.order('return');
      expect(await served.ended(bot)).toMatchObject({ endReason: reason, attempt: 1 });
      await served.closed(bot.room);
    },
  );

  test('first', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const bot = await served.connectedCall();
    await bot.tell({ type: 'over', reason: 'caller_hung_up' }, { type: 'over', reason: 'bot_ended' });
    void bot.order('return');
    expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  });

  test('of the last call out of its room', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const bot = await served.dial();
    await bot.tell({ type: 'joined' }, { type: 'dialled', sessionId: 'session-1' }, { type: 'over', reason: 'busy' });
    await bot.tell({ type: 'dialled', sessionId: 'session-2' }, { type: 'connected' });
    await bot.tell({ type: 'over', reason: 'caller_hung_up' });
    void bot.order('return');
    expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up' });
  });
});

test('a bot that returns without a word has ended its call, and its room is closed', async () => {
  await using served = await RunnerOnRooms.serve(IN_PROCESS);
  const bot = await served.connectedCall();
  void bot.order('return');
  expect(await served.ended(bot)).toMatchObject({ endReason: 'bot_ended' });
  await served.closed(bot.room);
  expect(served.rooms.asked('deleteRoom')).toEqual([bot.room]);
});
