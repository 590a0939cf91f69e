import { randomUUID } from 'node:crypto';
import type { RunnerOptions } from '../../../src/runner/runner-options.js';
import { holdTimers } from '../hold-timers.js';
import { IN_PROCESS, muteBots } from '../in-process-bots.js';
import { callFields, RunnerOnRooms } from './runner-on-rooms.js';

beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** So low that no sign of life of the bot's process is due before. The last 5 s are for the goodbye. */
const SEVEN_SECONDS: Partial<RunnerOptions> = { maxCallSeconds: 7, dialMaxSeconds: 900 };

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
