import { until } from '../../e2e/processes.js';
import { type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

const CALLS = 20;
/** A pitch of its own for every call, no one a harmonic of another. */
const pitches = Array.from({ length: CALLS }, (_, n) => 400 + 20 * n);

let rooms: RoomsOnSandbox;

beforeAll(async () => {
  rooms = await RoomsOnSandbox.start({ callsPerProcess: 5, warm: 4 });
}, 60_000);

afterAll(() => rooms[Symbol.asyncDispose]());

test('twenty callers at once all hear a bot of their own', async () => {
  const serve = async (pitch: number): Promise<RoomCaller> => {
    const caller = await rooms.caller(`+1555000${String(pitch).padStart(4, '0')}`);
    await caller.hears(pitch, { limitMs: 30_000 });
    caller.press('9');
    expect(await caller.phone.ended()).toMatchObject({ source: 'Room' });
    return caller;
  };
  const callers = await Promise.all(pitches.map(serve));
  for (const caller of callers) {
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended' }); // a busy machine may need a second bot
    await caller[Symbol.asyncDispose]();
  }
  const ids = new Set(callers.map(({ id }) => id));
  expect(ids.size).toBe(CALLS);
  const processes = new Set(callers.flatMap(({ told }) => told.map(({ pid }) => pid)));
  expect(processes.size).toBeLessThanOrEqual(CALLS / 2);
  expect(rooms.sandbox.liveCalls).toBe(0);
  await until(async () => (await rooms.openRooms()).length === 0, 'all rooms are gone');
  const worstMs = Math.max(...callers.map((caller) => caller.heard.durationMs));
  process.stderr.write(
    `  20 calls at once: longest call ${worstMs} ms, mixing ${JSON.stringify(rooms.sandbox.mixing)}\n`,
  );
}, 60_000);
