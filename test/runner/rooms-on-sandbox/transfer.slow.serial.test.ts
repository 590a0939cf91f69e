import { until } from '../../e2e/processes.js';
import { hum } from '../../sandbox/rooms/live-rooms-under-test.js';
import { isTone, ROOMS_CLIENTS, type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

const ANSWERED = [
  ['0101', '0106'],
  ['0105', '0107'],
];
const FAILED: ReadonlyArray<[does: string, number: string, status: string]> = [
  ['is busy', '0102', 'busy'],
  ['declines', '0104', 'rejected'],
  ['cannot be reached', '0108', 'failed'],
];
const REFUSED: ReadonlyArray<[is: string, code: string, error: string]> = [
  ['in a country that is not allowed', '9901', 'VB_TARGET_REFUSED'],
  ['not a number', '9902', 'VB_REQUEST_INVALID'],
  ['a premium one', '9903', 'VB_TARGET_REFUSED'],
];
const HUM = 1_500;
/** The sandbox lets a destination ring 100 ms after the transfer was asked for. */
const RINGS_AFTER_FRAMES = 5;

let rooms: RoomsOnSandbox;
/** There call time passes five times faster than it is. */
let hasty: RoomsOnSandbox;
/** What phones that were called hear, by number. */
const overheard = new Map<string, Uint8Array[]>();
// Calls take their time, so they are made beside each other, and each test looks at one.
const callers = new Map<string, Promise<RoomCaller>>();
const figures: string[] = [];
let patient: Promise<RoomCaller>;
let impatient: Promise<RoomCaller>;

/** Calls the bot and has it transfer the call to +1202555 and these digits. */
async function transfer(number: string, served = rooms): Promise<RoomCaller> {
  const caller = await served.caller(`+1555000${number}`);
  await caller.tells('participant_joined');
  caller.press(`*${number}`);
  if (number === '0105')
    void caller.tells('outcome').then(
      () => {
        caller.phone.says = hum(HUM);
      },
      () => {},
    );
  return caller;
}

const of = (number: string) => callers.get(number) as Promise<RoomCaller>;

/** Checks that the announcement was heard whole before anything rang. @returns when it ended, in milliseconds */
async function heardAnnouncement(caller: RoomCaller): Promise<number> {
  const atMs = await caller.hears(900, { fromMs: await caller.hears(700) });
  await caller.tells('outcome');
  const asked = caller.progress.find(({ line }) => line.hop === 'transfer');
  const isEnd = (frame: Uint8Array) => isTone([frame], 900);
  const heard = caller.phone.heard.all;
  const askedAtMs = asked?.atMs ?? Number.NaN;
  expect(heard.slice(atMs / 20, askedAtMs / 20).filter(isEnd).length).toBeGreaterThanOrEqual(8); // 20 on a quiet machine
  expect(heard.slice(askedAtMs / 20 + RINGS_AFTER_FRAMES).filter(isEnd)).toHaveLength(0);
  figures.push(`${heard.filter(isEnd).length * 20} ms of its end heard, then ${askedAtMs - atMs - 400} ms`);
  return atMs + 400;
}

describe.each(ROOMS_CLIENTS)('where bots join with the %s client', (client) => {
  beforeAll(async () => {
    for (const ofFormer of [overheard, callers]) ofFormer.clear();
    const overhear = (number: string, heard: Uint8Array) => {
      const before = overheard.get(number);
      if (before) before.push(heard);
      else overheard.set(number, [heard]);
    };
    hasty = await RoomsOnSandbox.start({ client, sandbox: { timing: { tickMs: 4 } } });
    patient = transfer('0103', hasty);
    rooms = await RoomsOnSandbox.start({ client, callsPerProcess: 5, warm: 2, sandbox: { overhear } });
    impatient = transfer('0103');
    // A busy machine loses sound where many begin at once, so of these two begin, and the next when one has its outcome.
    const inOrder = (numbers: readonly string[], first: Promise<unknown>) => {
      let before = first;
      for (const number of numbers) {
        const caller = before.then(() => transfer(number));
        callers.set(number, caller);
        before = Promise.allSettled([caller.then((one) => one.tells('outcome'))]);
      }
      return before;
    };
    const answered = Promise.all(ANSWERED.map((numbers) => inOrder(numbers, Promise.resolve())));
    for (const row of [REFUSED, FAILED]) {
      inOrder(
        row.map(([, number]) => number),
        answered,
      );
    }
    for (const caller of [patient, impatient, ...callers.values()]) caller.catch(() => {}); // told by the test that waits for it
  }, 30_000);

  afterAll(async () => {
    for (const caller of await Promise.allSettled([patient, impatient, ...callers.values()])) {
      if (caller.status === 'fulfilled') await caller.value?.[Symbol.asyncDispose]();
    }
    process.stderr.write(`  announcement before a transfer (${client}): ${figures.splice(0).join('; ')}\n`);
    await Promise.all([rooms?.[Symbol.asyncDispose](), hasty?.[Symbol.asyncDispose]()]);
  });

  test.each(ANSWERED.flat())('…%s answers: the bot leaves, and caller and destination go on', async (number) => {
    const caller = await of(number);
    await heardAnnouncement(caller);
    const { data } = await caller.tells('outcome');
    expect(data).toMatchObject({ status: 'answered', data: { toEndPoint: `+1202555${number}` } });
    expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
    expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'ended']);
    await caller.tells('done');
    expect(caller.events.filter((event) => event === 'dialout_answered')).toHaveLength(1);
    expect(rooms.sandbox.placedCalls.get(`+1202555${number}`)).toBeGreaterThan(0);
  });

  test('after a transfer the two phones hear each other', async () => {
    const caller = await of('0105');
    const { data } = await caller.tells('outcome');
    const hears = () => {
      const heard = overheard.get('+12025550105') ?? [];
      return heard.length >= 10 && isTone(heard.slice(-10), HUM);
    };
    await until(hears, 'the destination hears the caller');
    await caller.hears(1_000, { limitMs: 12_000 }); // the voicemail's beep
    expect(data.status).toBe('answered');
  });

  test('when the destination hangs up, so is the caller', async () => {
    expect(await (await of('0107')).phone.ended()).toMatchObject({ source: 'Callee', code: 4000 });
  });

  test.each(FAILED)('when the destination %s (…%s) the caller is still with the bot: %s', async (_, number, status) => {
    const caller = await of(number);
    const announcedAtMs = await heardAnnouncement(caller);
    expect((await caller.tells('outcome')).data).toMatchObject({ status, detail: expect.any(String) });
    const regretsAtMs = await caller.hears(1_300, { fromMs: announcedAtMs });
    caller.press('1');
    await caller.hears(1_100, { fromMs: regretsAtMs });
    caller.press('9');
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'connected', 'ended']);
    expect(caller.events).not.toContain('dialout_answered');
    await caller.roomGone();
  });

  test('when nobody answers (…0103) the caller is still with the bot', async () => {
    const caller = await patient;
    expect((await caller.tells('outcome')).data).toMatchObject({ status: 'no_answer' });
    caller.press('1');
    caller.press('9');
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    await caller.roomGone();
  });

  test('a caller who hangs up while it rings ends the call, and it rings no more', async () => {
    const caller = await impatient;
    await caller.tells('dialout_connected');
    caller.phone.client.hangUp();
    expect((await caller.tells('outcome')).data).toEqual({ status: 'caller_left' });
    expect(await caller.ended()).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
    await caller.roomGone();
  });

  test.each(REFUSED)('a destination that is %s (%s) is refused, and the call goes on', async (_, code, error) => {
    const caller = await of(code);
    expect((await caller.tells('outcome')).data).toMatchObject({ status: 'refused', code: error });
    const regretsAtMs = await caller.hears(1_300);
    expect(caller.isTone(700, regretsAtMs - 200, regretsAtMs)).toBe(false); // nothing was announced
    caller.press('9');
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    expect(caller.states).not.toContain('transferring');
  });

  test('when the callers hang up nothing is left', async () => {
    for (const caller of callers.values()) (await caller).phone.client.hangUp();
    await until(() => rooms.sandbox.liveCalls === 0, 'no calls are live');
    // Rooms of transferred calls are left to the provider.
    expect(await rooms.openRooms()).toHaveLength(ANSWERED.flat().length);
  });
});
