import { type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

const CALLS = 20;
/** Callers who dial at the same moment. */
const WAVE = 5;
/** A pitch of its own for every call, no one a harmonic of another. */
const pitches = Array.from({ length: CALLS }, (_, n) => 400 + 20 * n);

let rooms: RoomsOnSandbox;

beforeAll(async () => {
  rooms = await RoomsOnSandbox.start({ callsPerProcess: 5, warm: 4 });
}, 60_000);

afterAll(() => rooms[Symbol.asyncDispose]());

test('twenty callers at once all hear a bot of their own', async () => {
  const answered = async (pitch: number): Promise<RoomCaller> => {
    const caller = await rooms.caller(`+1555000${String(pitch).padStart(4, '0')}`);
    await caller.hears(pitch, { limitMs: 30_000 });
    return caller;
  };
  const callers: RoomCaller[] = [];
  // In waves: joining is what costs, and a bot that a slow machine keeps for too long is replaced.
  for (let first = 0; first < CALLS; first += WAVE) {
    callers.push(...(await Promise.all(pitches.slice(first, first + WAVE).map(answered))));
  }
  expect(rooms.sandbox.liveCalls).toBe(CALLS);
  for (const caller of callers) caller.press('9');
  for (const caller of callers) {
    expect(await caller.phone.ended()).toMatchObject({ source: 'Room' });
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    await caller[Symbol.asyncDispose]();
  }
  const ids = new Set(callers.map(({ id }) => id));
  expect(ids.size).toBe(CALLS);
  const processes = new Set(callers.flatMap(({ told }) => told.map(({ pid }) => pid)));
  expect(processes.size).toBeLessThanOrEqual(CALLS / 2);
  expect(rooms.sandbox.liveCalls).toBe(0);
  await rooms.untilRooms(({ length }) => length === 0, 'all rooms are gone');
  const worstMs = Math.max(...callers.map((caller) => caller.heard.durationMs));
  process.stderr.write(
    `  20 calls at once: longest call ${worstMs} ms, mixing ${JSON.stringify(rooms.sandbox.mixing)}\n`,
  );
}, 60_000);
