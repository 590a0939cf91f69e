import { levelDb } from '../../../src/base/audio/level.js';
import { isGroupAlive, until } from '../../e2e/processes.js';
import { type FollowedCall, type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

/** The bot that takes over greets at this much above its own pitch. */
const NEXT_BOT_HZ = 200;

let rooms: RoomsOnSandbox;
/** There call time passes ten times faster than it is, and the bots are killed as soon as they start. */
let doomed: RoomsOnSandbox;
const figures: string[] = [];
/** Rooms whose callers were transferred. */
const transferred: string[] = [];
let ringing: Promise<FollowedCall>;
let hopeless: Promise<RoomCaller>;
let outlived: Promise<RoomCaller>;
/** By the moment at which their bot is killed. The next one calls while the one before is served again. */
const callers = new Map<string, Promise<RoomCaller>>();

/** When a bot is killed, and the caller's own pitch. */
const MOMENTS: ReadonlyArray<[when: string, event: string, from: string, pitch: number]> = [
  ['before it joins', 'start', '+15550000600', 600],
  ['while it fetches the caller', 'dialin_ready', '+15550000640', 640],
  ['when the caller is on the way', 'dialin_connected', '+15550000680', 680],
  ['in the middle of the call', 'talking', '+15550000720', 720],
];

beforeAll(async () => {
  doomed = await RoomsOnSandbox.start({ warm: 3, sandbox: { timing: { tickMs: 2 } } });
  hopeless = callAndKillEveryBot();
  rooms = await RoomsOnSandbox.start({ warm: 3 });
  ringing = dialAndKill('+12025550105', 'dialout_connected');
  let before: Promise<unknown> = Promise.resolve();
  for (const [, event, from, pitch] of MOMENTS) {
    const caller = before.then(() => callAndKill(event, from, pitch));
    callers.set(event, caller);
    before = caller.catch(() => {});
  }
  outlived = before.then(callTransferAndKill);
  for (const call of [hopeless, ringing, outlived, ...callers.values()]) call.catch(() => {}); // told by the test that waits for it
}, 40_000);

afterAll(async () => {
  for (const caller of await Promise.allSettled([hopeless, outlived, ...callers.values()])) {
    if (caller.status === 'fulfilled') await caller.value?.[Symbol.asyncDispose]();
  }
  await Promise.all([rooms?.[Symbol.asyncDispose](), doomed?.[Symbol.asyncDispose]()]);
  process.stderr.write(figures.map((figure) => `  ${figure}\n`).join(''));
});

async function callAndKill(event: string, from: string, pitch: number): Promise<RoomCaller> {
  await rooms.ready(2); // as on a machine that has nothing else to do
  const caller = await rooms.caller(from);
  if (event === 'talking') {
    await caller.tells('participant_joined');
    caller.press('3');
    await caller.hears(pitch);
    await until(() => caller.isTone(pitch, caller.heardMs - 300, caller.heardMs), 'the bot talks');
  }
  await caller.killBot(event === 'talking' ? 'joined' : event);
  return caller;
}

async function dialAndKill(number: string, event: string): Promise<FollowedCall> {
  const call = await rooms.dial(number, { pitch: 600, endsAfterMs: 1_500 });
  await call.killBot(event);
  return call;
}

async function callTransferAndKill(): Promise<RoomCaller> {
  await rooms.ready(2);
  const caller = await rooms.caller('+15550000560');
  await caller.tells('participant_joined');
  for (const key of ['*', '0', '1', '0', '1'] as const) caller.press(key);
  await caller.killBot('dialout_connected');
  return caller;
}

async function callAndKillEveryBot(): Promise<RoomCaller> {
  const caller = await doomed.caller('+15550000760');
  for (const attempt of [1, 2, 3]) await caller.killBot('start', attempt);
  return caller;
}

test('a bot that dies while the phone rings is replaced, and nobody is called twice', async () => {
  const call = await ringing;
  expect(await call.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 2 });
  expect(rooms.sandbox.placedCalls.get('+12025550105')).toBe(1);
});

test('when every bot dies the caller hears the time-out line, and no room is left', async () => {
  const caller = await hopeless;
  expect(await caller.ended()).toMatchObject({ endReason: 'bot_crashed', attempt: 3 });
  await caller.roomGone();
  expect(await caller.phone.ended()).toMatchObject({ source: 'Room', durationMs: expect.any(Number) });
  const spoken = caller.progress.find(({ line }) => line.hop === 'speak');
  expect(spoken?.line.text).toContain('we cannot take your call');
  expect(levelDb(caller.heard.from(spoken?.atMs ?? 0))).toBeGreaterThan(-40);
  await until(() => caller.told.every(({ pid }) => !isGroupAlive(pid)), 'the bots have gone');
});

test.each(MOMENTS)('a bot that dies %s is replaced in the same room', async (when, event, _from, pitch) => {
  const caller = (await callers.get(event)) as RoomCaller;
  const heardAgainMs = await caller.hears(pitch + NEXT_BOT_HZ, { limitMs: 12_000 });
  const [first, second] = caller.told.filter((told) => told.event === 'start');
  expect(second?.attempt).toBe(2);
  expect(second?.pid).not.toBe(first?.pid);
  expect(second?.data).toEqual(first?.data); // the room and the length of its token among it
  const silenceMs = longestSilenceMs(caller, heardAgainMs);
  figures.push(
    `bot killed ${when}: next bot heard ${heardAgainMs} ms after the answer, longest silence ${silenceMs} ms`,
  );
  caller.press('1');
  await caller.hears(1_100, { fromMs: heardAgainMs });
  caller.press('9');
  expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 2 });
  await caller.roomGone();
});

test('a transfer that rings outlives its bot: the next one waits without a word, and the call ends as transferred', async () => {
  const caller = await outlived;
  expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 2 });
  expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'ended']);
  expect(rooms.sandbox.placedCalls.get('+12025550101')).toBe(1);
  transferred.push(caller.told[0]?.data.room_url.split('/').at(-1));
  caller.phone.client.hangUp();
});

/** The longest time without any sound up to there. */
function longestSilenceMs(caller: RoomCaller, toMs: number): number {
  let [run, longest] = [0, 0];
  for (const level of caller.heard.levels.slice(0, toMs / 20)) {
    run = level > -50 ? 0 : run + 20;
    longest = Math.max(longest, run);
  }
  return longest;
}

test('nothing is left when all calls are over', async () => {
  for (const served of [rooms, doomed]) {
    await until(() => served.sandbox.liveCalls === 0, 'no calls are live');
    const isLeft = (room: string) => !transferred.includes(room); // the others are left to their expiry
    await served.untilRooms((names) => !names.some(isLeft), 'no rooms are open');
  }
});
