import type { RoomNews } from '../../../src/call/runner-link.js';
import type { RunnerOptions } from '../../../src/runner/runner-options.js';
import { holdTimers } from '../hold-timers.js';
import type { RoomBot } from './hand-rooms.js';
import { RunnerOnRooms } from './runner-on-rooms.js';

/** Silence of a process whose bot talks to somebody that counts as hung, and of one whose bot does not yet. */
const HEARTBEAT_LIMIT_MS = { talking: 2_000, quiet: 8_000 };

type Failure = (bot: RoomBot, served: RunnerOnRooms) => unknown;

/** The ways in which a bot's process can fail. */
export const FAILURES = {
  throws: (bot) => void bot.order('throw'),
  'ends its process': (bot) => void bot.order('exit'),
  'is killed': ({ hello }) => process.kill(hello.pid, 'SIGKILL'),
  hangs: async (bot, served) => {
    await served.ready();
    void bot.order('block');
    await served.output.next((line) => line === 'blocks');
    await served.everythingArrived(); // the last sign of life among it
    const hasJoined = served.records.all.some(({ state }) => state === 'connected');
    jest.advanceTimersByTime(hasJoined ? HEARTBEAT_LIMIT_MS.talking : HEARTBEAT_LIMIT_MS.quiet);
  },
} satisfies Record<string, Failure>;

/** Checks that a bot that fails after these news is replaced twice in the same room, and that the call is over then. */
export async function expectReplacedTwice(failure: keyof typeof FAILURES, news: readonly RoomNews[]): Promise<void> {
  await using served = await RunnerOnRooms.serve();
  holdTimers();
  let bot = await served.call('call-1');
  const { room, hello } = bot;
  const pids = new Set<number>();
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) bot = await served.rooms.bot('call-1', attempt);
    expect(bot.hello.call).toMatchObject({ attempt });
    expect(bot.hello).toMatchObject({ room_url: hello.room_url, token: hello.token, body: hello.body });
    expect(bot.hello.past).toEqual({ isForwarded: attempt > 1 && news.length > 0 });
    await bot.tell(...news);
    pids.add(bot.hello.pid);
    expect(served.rooms.open).toContain(room);
    await FAILURES[failure](bot, served);
  }
  const endReason = failure === 'hangs' ? 'bot_timeout' : 'bot_crashed';
  expect(await served.ended('call-1')).toMatchObject({ endReason, attempt: 3 });
  expect(pids.size).toBe(3);
  await served.closed(room);
  expect(served.rooms.asked('createRoom')).toHaveLength(1);
  expect(served.rooms.bots).toHaveLength(3);
}

/** Checks that a bot that fails after it has said how the call ended is not replaced. */
export async function expectNotReplaced(
  failure: keyof typeof FAILURES,
  options?: Partial<RunnerOptions>,
): Promise<void> {
  await using served = await RunnerOnRooms.serve(options);
  holdTimers();
  const bot = await served.connectedCall();
  await bot.tell({ type: 'over', reason: 'caller_hung_up' });
  await FAILURES[failure](bot, served);
  expect(await served.ended(bot)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  await served.closed(bot.room);
}
