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
  await bot.tell({ type: 'connected' }, { type: 'transferring' }, { type: 'transfer_failed' });
  await bot.tell({ type: 'transferring' }, { type: 'over', reason: 'transferred' });
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
  const transfers = ['transferring', 'connected', 'transferring'];
  expect(served.statesOf('call-1')).toEqual(['ringing', 'starting', 'connected', ...transfers, 'ended']);
  await served.everythingArrived();
  expect(served.rooms.asked('deleteRoom')).toEqual([]);
});

test('a bot that is in its room has 45 s to connect its caller; then it is asked to end the call, which was never connected', async () => {
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
