import { Goertzel } from '../../../src/base/audio/goertzel.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { until } from '../../e2e/processes.js';
import { hum } from '../../sandbox/rooms/live-rooms-under-test.js';
import { type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

/** Each client and each rate; each client is heard at both in `join-room.slow.serial.test.ts`. */
const WAYS = [
  ['built-in', 8_000],
  ['browser', 16_000],
] as const;

let rooms: RoomsOnSandbox;
/** Hangs up while on hold; the bot looks for the call for a while, so this is begun before the other tests. */
let impatient: Promise<RoomCaller>;

async function hangUpOnHold(): Promise<RoomCaller> {
  const caller = await rooms.caller('+15550000680');
  await caller.tells('start');
  caller.phone.client.hangUp();
  return caller;
}

/** The strongest of two octaves of notes, by MIDI number. */
function strongestNote(pcm: Int16Array): number {
  const block = Float64Array.from(pcm);
  const notes = Array.from({ length: 25 }, (_, n) => 57 + n);
  const powerOf = (note: number) => {
    const bin = new Goertzel(440 * 2 ** ((note - 69) / 12), 8_000);
    bin.measure(block);
    return bin.power;
  };
  return notes.reduce((best, note) => (powerOf(note) > powerOf(best) ? note : best));
}

/** Events in the order of the room's, without what several bots or tests add. */
const order = (caller: RoomCaller, names: readonly string[]) => caller.events.filter((event) => names.includes(event));

describe.each(WAYS)('where bots join with the %s client, their pipelines at %i Hz', (client, pipelineRate) => {
  beforeAll(async () => {
    rooms = await RoomsOnSandbox.start({ client, pipelineRate, callsPerProcess: 3 });
    impatient = hangUpOnHold();
    impatient.catch(() => {}); // told by the test that waits for it
  }, 30_000);

  afterAll(() => rooms[Symbol.asyncDispose]());

  test('a caller hears hold music, then the bot, which hears the caller and the keys', async () => {
    await using caller = await rooms.caller('+15550000600');
    const greetedAtMs = await caller.hears(600);
    const { heard } = caller;
    expect(strongestNote(heard.pcm.subarray(0, 8 * 200))).toBe(60); // the melody begins with a C
    expect(levelDb(heard.pcm.subarray(0, 8 * 200))).toBeGreaterThan(-30);
    expect(heard.audibleMs(0, greetedAtMs)).toBeGreaterThan(greetedAtMs - 400); // no longer gap until the bot speaks
    await caller.tells('participant_joined');
    expect(
      order(caller, ['joined', 'dialin_ready', 'dialin_connected', 'first_participant_joined', 'participant_joined']),
    ).toEqual(['joined', 'dialin_ready', 'dialin_connected', 'first_participant_joined', 'participant_joined']);
    const { data } = await caller.tells('start');
    expect(data.body).toMatchObject({
      dialin_settings: { call_id: expect.any(String), From: '+15550000600', To: rooms.sandbox.number },
      daily_api_key: '[redacted]',
      daily_api_url: rooms.sandbox.roomsApiUrl,
    });

    caller.press('1');
    const answeredAtMs = await caller.hears(1_100, { fromMs: greetedAtMs });
    expect((await caller.tells('key')).data).toBe('1');

    caller.press('2');
    await until(() => caller.told.some(({ event, data }) => event === 'key' && data === '2'), 'the second key');
    caller.phone.says = hum(1_500);
    const echoedAtMs = await caller.hears(1_500, { fromMs: answeredAtMs + 400 });
    await until(() => caller.heardMs > echoedAtMs + 600, 'half a second of echo');
    const echo = caller.heard.pcm.subarray(8 * (echoedAtMs + 100), 8 * (echoedAtMs + 500));
    // The loudest 40 ms: a busy machine has frames that come too late concealed.
    const levels = Array.from({ length: 10 }, (_, n) => levelDb(echo.subarray(320 * n, 320 * (n + 1))));
    const said = levelDb(Int16Array.from(echo, (_, n) => 8_000 * Math.sin((2 * Math.PI * 1_500 * n) / 8_000)));
    expect(Math.abs(Math.max(...levels) - said)).toBeLessThan(1);

    caller.phone.client.hangUp();
    expect(await caller.ended()).toMatchObject({ endReason: 'caller_hung_up', attempt: 1, direction: 'inbound' });
    await caller.tells('done');
    await caller.roomGone();
    expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'ended']);
  });

  test('when the bot ends the call the caller hears it out and is hung up', async () => {
    await using caller = await rooms.caller('+15550000640');
    const greetedAtMs = await caller.hears(640);
    caller.press('9');
    const goodbyeAtMs = await caller.hears(1_700, { fromMs: greetedAtMs });
    expect(await caller.phone.ended()).toMatchObject({ source: 'Room', code: 4000 });
    expect(caller.isTone(1_700, goodbyeAtMs + 20, goodbyeAtMs + 280)).toBe(true);
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    await caller.roomGone();
  });

  test('a caller who hangs up while on hold costs nothing', async () => {
    await using caller = await impatient;
    expect(await caller.ended()).toMatchObject({ endReason: 'caller_hung_up' });
    await caller.roomGone();
  });

  test('nothing is left when all calls are over', async () => {
    await until(() => rooms.sandbox.liveCalls === 0, 'no calls are live');
    await rooms.untilRooms(({ length }) => length === 0, 'no rooms are open');
  });
});
