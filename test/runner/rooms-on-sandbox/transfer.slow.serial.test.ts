import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import type { TransferOrder } from '../../../src/sandbox/rooms/room-lines.js';
import { until } from '../../e2e/processes.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { hum, measure } from '../../sandbox/rooms/live-rooms-under-test.js';
import { ROOMS_CLIENTS, ROOMS_KEY } from '../runner-on-sandbox.js';
import { isTone, type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

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
/** What attended destinations say. */
const REPLY = 1_900;
/** Digits of destinations that let it ring for so long before they answer, in milliseconds. */
const PATIENT: ReadonlyArray<[number: string, ringMs: number]> = [
  ['0151', 1_000],
  ['0152', 2_000],
  ['0153', 15_000],
];
/** As the provider documents it, by both clients, and the other order. */
const WAYS: ReadonlyArray<[client: RoomsClient, transferOrder: TransferOrder]> = [
  ...ROOMS_CLIENTS.map((client): [RoomsClient, TransferOrder] => [client, 'leaves_at_once']),
  ['built-in', 'leaves_on_answer'],
];
/** The sandbox lets a destination ring 100 ms after the transfer was asked for. */
const RINGS_AFTER_FRAMES = 5;

let rooms: RoomsOnSandbox;
/** There call time passes five times faster than it is. */
let hasty: RoomsOnSandbox;
/** What phones that were called hear, by number. */
const overheard = new Map<string, Uint8Array[]>();
// Calls take their time, so they are made beside each other, and each test looks at one.
const callers = new Map<string, Promise<RoomCaller>>();
const phones = new Map<string, FakeCaller>();
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

/** A phone that answers after `ringMs` and hums. */
async function attendant(number: string, ringMs: number): Promise<FakeCaller> {
  const phone = await FakeCaller.attending(rooms.sandbox, `+1202555${number}`, { ringMs });
  phone.says = hum(REPLY);
  return phone;
}

const of = (number: string) => callers.get(number) as Promise<RoomCaller>;

/** When the caller hears the destination ring, in milliseconds of the call. */
async function ringbackOf(caller: RoomCaller): Promise<number> {
  const isRinging = (frames: Uint8Array[]) => measure(decodeMulaw(Buffer.concat(frames)), 440).purity > 0.3;
  const at = () => {
    const { all } = caller.phone.heard;
    return all.findIndex((_, n) => n % 5 === 0 && n + 10 <= all.length && isRinging(all.slice(n, n + 10)));
  };
  await until(() => at() >= 0, 'the caller hears the destination ring');
  return at() * 20;
}

/** Checks that the announcement was heard whole before anything rang. @returns when it ended, in milliseconds */
async function heardAnnouncement(caller: RoomCaller, ringMs = 0): Promise<number> {
  const atMs = await caller.hears(900, { fromMs: await caller.hears(700) });
  await caller.tells('outcome', 1, ringMs + 12_000);
  const asked = caller.progress.find(({ line }) => line.hop === 'transfer');
  const isEnd = (frame: Uint8Array) => isTone([frame], 900);
  const heard = caller.phone.heard.all;
  const askedAtMs = asked?.atMs ?? Number.NaN;
  expect(heard.slice(atMs / 20, askedAtMs / 20).filter(isEnd).length).toBeGreaterThanOrEqual(8); // 20 on a quiet machine
  expect(heard.slice(askedAtMs / 20 + RINGS_AFTER_FRAMES).filter(isEnd)).toHaveLength(0);
  figures.push(`${heard.filter(isEnd).length * 20} ms of its end heard, then ${askedAtMs - atMs - 400} ms`);
  return atMs + 400;
}

describe.each(WAYS)('where bots join with the %s client, and the caller %s', (client, transferOrder) => {
  const leavesAtOnce = transferOrder === 'leaves_at_once';
  /** What becomes of a transfer that does not reach its destination. */
  const failed = (status: string) =>
    leavesAtOnce ? { status: 'caller_left', destination: status } : { status, detail: expect.any(String) };

  beforeAll(async () => {
    const played = { apiKey: ROOMS_KEY, transferOrder };
    for (const ofFormer of [overheard, callers]) ofFormer.clear();
    const overhear = (number: string, heard: Uint8Array) => {
      const before = overheard.get(number);
      if (before) before.push(heard);
      else overheard.set(number, [heard]);
    };
    hasty = await RoomsOnSandbox.start({ client, sandbox: { rooms: played, timing: { tickMs: 4 } } });
    patient = transfer('0103', hasty);
    rooms = await RoomsOnSandbox.start({ client, callsPerProcess: 5, warm: 2, sandbox: { rooms: played, overhear } });
    for (const [number, ringMs] of PATIENT) phones.set(number, await attendant(number, ringMs));
    impatient = transfer('0103').then(async (caller) => {
      await caller.tells('dialout_connected');
      caller.phone.client.hangUp();
      return caller;
    });
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
    const others = [...REFUSED, ...FAILED].map(([, number]) => number);
    const last = inOrder(others, answered);
    for (const [number] of PATIENT) inOrder([number], last);
    for (const caller of [patient, impatient, ...callers.values()]) caller.catch(() => {}); // told by the test that waits for it
  }, 30_000);

  afterAll(async () => {
    for (const caller of await Promise.allSettled([patient, impatient, ...callers.values()])) {
      if (caller.status === 'fulfilled') await caller.value?.[Symbol.asyncDispose]();
    }
    process.stderr.write(`  announcement before a transfer (${client}): ${figures.splice(0).join('; ')}\n`);
    for (const phone of phones.values()) await phone[Symbol.asyncDispose]();
    phones.clear();
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

  test.each(FAILED)('when the destination %s (…%s) the outcome is %s', async (_, number, status) => {
    const caller = await of(number);
    const announcedAtMs = await heardAnnouncement(caller);
    expect((await caller.tells('outcome')).data).toMatchObject(failed(status));
    expect(caller.events).not.toContain('dialout_answered');
    if (leavesAtOnce) {
      expect(await caller.phone.ended()).toMatchObject({ cause: 'Transfer Failed', source: 'Room' });
      expect(await caller.ended()).toMatchObject({ endReason: 'transfer_failed', attempt: 1 });
      await caller.roomGone();
      return;
    }
    const regretsAtMs = await caller.hears(1_300, { fromMs: announcedAtMs });
    caller.press('1');
    await caller.hears(1_100, { fromMs: regretsAtMs });
    caller.press('9');
    expect(await caller.ended()).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
    expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'connected', 'ended']);
    await caller.roomGone();
  });

  test('when nobody answers (…0103) the outcome says so', async () => {
    const caller = await patient;
    expect((await caller.tells('outcome')).data).toMatchObject(failed('no_answer'));
    caller.press('1');
    caller.press('9');
    const endReason = leavesAtOnce ? 'transfer_failed' : 'bot_ended';
    expect(await caller.ended()).toMatchObject({ endReason, attempt: 1 });
    await caller.roomGone();
  });

  test('a caller who hangs up while it rings ends the call, and it rings no more', async () => {
    const caller = await impatient;
    expect((await caller.tells('outcome')).data).toEqual({ status: 'caller_left', destination: 'no_answer' });
    expect(await caller.ended()).toMatchObject({ endReason: 'transfer_failed', attempt: 1 });
    expect(hasty.sandbox.placedCalls.get('+12025550103')).toBe(1);
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

  test.each(PATIENT)(
    '…%s answers after %i ms: the bot waits for it, and the two hear each other',
    async (number, ringMs) => {
      const caller = await of(number);
      await heardAnnouncement(caller, ringMs);
      expect((await caller.tells('outcome')).data).toMatchObject({ status: 'answered' });
      expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
      const rangAtMs = await ringbackOf(caller);
      const answeredAtMs = await caller.hears(REPLY);
      figures.push(`…${number}: ringback from ${rangAtMs} ms, heard from ${answeredAtMs} ms of the call`);
      caller.phone.says = hum(HUM);
      const { heard } = phones.get(number) as FakeCaller;
      await until(
        () => heard.all.length >= 10 && isTone(heard.all.slice(-10), HUM),
        'the destination hears the caller',
      );
      caller.phone.client.hangUp();
    },
  );

  test('when the callers hang up nothing is left', async () => {
    for (const caller of callers.values()) (await caller).phone.client.hangUp();
    await until(() => rooms.sandbox.liveCalls === 0, 'no calls are live');
    // Rooms of transferred calls are left to the provider.
    expect(await rooms.openRooms()).toHaveLength(ANSWERED.flat().length + PATIENT.length);
  });
});
