import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import type { TransferOrder } from '../../../src/sandbox/rooms/room-lines.js';
import { until } from '../../e2e/processes.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { hum, measure } from '../../sandbox/rooms/live-rooms-under-test.js';
import { ROOMS_KEY } from '../runner-on-sandbox.js';
import { isTone, type RoomCaller, RoomsOnSandbox } from './rooms-on-sandbox.js';

/** What all ways have: a voicemail that answers, and a destination that is busy. */
const [ANSWERS, BUSY] = ['0105', '0102'];
const HANGS_UP = '0107';
const FAILED: ReadonlyArray<[does: string, number: string, status: string]> = [
  ['is busy', BUSY, 'busy'],
  ['declines', '0104', 'rejected'],
  ['cannot be reached', '0108', 'failed'],
];
const REFUSED: ReadonlyArray<[is: string, code: string, error: string]> = [
  ['in a country that is not allowed', '9901', 'VB_TARGET_REFUSED'],
  ['not a number', '9902', 'VB_REQUEST_INVALID'],
];
const HUM = 1_500;
/** What attended destinations say. */
const REPLY = 1_900;
/** Digits of a destination that lets it ring for so long before it answers, in milliseconds: longer than the bot waits for anything else. */
const PATIENT = '0153';
const PATIENT_RING_MS = 15_000;

interface Way {
  readonly client: RoomsClient;
  readonly transferOrder: TransferOrder;
  /** Which destinations callers are transferred to, one after the other in each lane. */
  readonly lanes: readonly (readonly string[])[];
}

const FEW = [[ANSWERS], [BUSY]];
/** As the provider documents it, by both clients, and the other order. What becomes of a transfer is decided in the same place in all. */
const WAYS: readonly Way[] = [
  {
    client: 'built-in',
    transferOrder: 'leaves_at_once',
    // A busy machine loses sound where many begin at once, so the next one of a lane begins when the one before has its outcome.
    lanes: [[PATIENT], [ANSWERS, HANGS_UP, ...REFUSED.map(([, code]) => code)], FAILED.map(([, number]) => number)],
  },
  { client: 'browser', transferOrder: 'leaves_at_once', lanes: FEW },
  { client: 'built-in', transferOrder: 'leaves_on_answer', lanes: FEW },
];
/** The sandbox lets a destination ring 100 ms after the transfer was asked for. */
const RINGS_AFTER_FRAMES = 5;

let rooms: RoomsOnSandbox;
/** There call time passes five times faster than it is. Of the first way only, like those who call there. */
let hasty: RoomsOnSandbox | undefined;
/** What phones that were called hear, by number. */
const overheard = new Map<string, Uint8Array[]>();
// Calls take their time, so they are made beside each other, and each test looks at one.
const callers = new Map<string, Promise<RoomCaller>>();
let attendant: FakeCaller | undefined;
const figures: string[] = [];
let patient: Promise<RoomCaller> | undefined;
let impatient: Promise<RoomCaller> | undefined;

/** Calls the bot and has it transfer the call to +1202555 and these digits. */
async function transfer(number: string, served = rooms): Promise<RoomCaller> {
  const caller = await served.caller(`+1555000${number}`);
  await caller.tells('participant_joined');
  caller.press(`*${number}`);
  if (number === ANSWERS)
    void caller.tells('outcome').then(
      () => {
        caller.phone.says = hum(HUM);
      },
      () => {},
    );
  return caller;
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

describe.each(WAYS)('where bots join with the $client client, and the caller $transferOrder', (way) => {
  const { client, transferOrder, lanes } = way;
  const isWhole = way === WAYS[0];
  const numbers = lanes.flat();
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
    if (isWhole) {
      hasty = await RoomsOnSandbox.start({ client, sandbox: { rooms: played, timing: { tickMs: 4 } } });
      patient = transfer('0103', hasty);
    }
    rooms = await RoomsOnSandbox.start({ client, callsPerProcess: 5, warm: 2, sandbox: { rooms: played, overhear } });
    if (isWhole) {
      attendant = await FakeCaller.attending(rooms.sandbox, `+1202555${PATIENT}`, { ringMs: PATIENT_RING_MS });
      attendant.says = hum(REPLY);
      impatient = transfer('0103').then(async (caller) => {
        await caller.tells('dialout_connected');
        caller.phone.client.hangUp();
        return caller;
      });
    }
    for (const lane of lanes) {
      let before: Promise<unknown> = Promise.resolve();
      for (const number of lane) {
        const caller = before.then(() => transfer(number));
        callers.set(number, caller);
        before = Promise.allSettled([caller.then((one) => one.tells('outcome', 1, PATIENT_RING_MS + 12_000))]);
      }
    }
    for (const caller of [patient, impatient, ...callers.values()]) caller?.catch(() => {}); // told by the test that waits for it
  }, 30_000);

  afterAll(async () => {
    for (const caller of await Promise.allSettled([patient, impatient, ...callers.values()])) {
      if (caller.status === 'fulfilled') await caller.value?.[Symbol.asyncDispose]();
    }
    process.stderr.write(`  announcement before a transfer (${client}): ${figures.splice(0).join('; ')}\n`);
    await attendant?.[Symbol.asyncDispose]();
    await Promise.all([rooms?.[Symbol.asyncDispose](), hasty?.[Symbol.asyncDispose]()]);
    attendant = undefined;
    hasty = undefined;
    patient = undefined;
    impatient = undefined;
  });

  test(`…${ANSWERS} answers: the bot leaves, and the two phones hear each other`, async () => {
    const caller = await connected(ANSWERS);
    const hears = () => {
      const heard = overheard.get(`+1202555${ANSWERS}`) ?? [];
      return heard.length >= 10 && isTone(heard.slice(-10), HUM);
    };
    await until(hears, 'the destination hears the caller');
    await caller.hears(1_000, { limitMs: 12_000 }); // the voicemail's beep
  });

  test.each(FAILED.filter(([, number]) => numbers.includes(number)))(
    'when the destination %s (…%s) the outcome is %s',
    async (_, number, status) => {
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
    },
  );

  if (isWhole) {
    test(`when the destination (…${HANGS_UP}) hangs up, so is the caller`, async () => {
      const caller = await connected(HANGS_UP);
      expect(await caller.phone.ended()).toMatchObject({ source: 'Callee', code: 4000 });
    });

    test('when nobody answers (…0103) the outcome says so', async () => {
      const caller = (await patient) as RoomCaller;
      expect((await caller.tells('outcome')).data).toMatchObject(failed('no_answer'));
      expect(await caller.ended()).toMatchObject({ endReason: 'transfer_failed', attempt: 1 });
      await caller.roomGone();
    });

    test('a caller who hangs up while it rings ends the call, and it rings no more', async () => {
      const caller = (await impatient) as RoomCaller;
      expect((await caller.tells('outcome')).data).toEqual({ status: 'caller_left', destination: 'no_answer' });
      expect(await caller.ended()).toMatchObject({ endReason: 'transfer_failed', attempt: 1 });
      expect(rooms.sandbox.placedCalls.get('+12025550103')).toBe(1);
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

    test(`…${PATIENT} answers after ${PATIENT_RING_MS} ms: the bot waits for it, and the two hear each other`, async () => {
      const caller = await of(PATIENT);
      await heardAnnouncement(caller, PATIENT_RING_MS);
      expect((await caller.tells('outcome')).data).toMatchObject({ status: 'answered' });
      expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
      const rangAtMs = await ringbackOf(caller);
      const answeredAtMs = await caller.hears(REPLY);
      figures.push(`…${PATIENT}: ringback from ${rangAtMs} ms, heard from ${answeredAtMs} ms of the call`);
      caller.phone.says = hum(HUM);
      const { heard } = attendant as FakeCaller;
      await until(
        () => heard.all.length >= 10 && isTone(heard.all.slice(-10), HUM),
        'the destination hears the caller',
      );
      caller.phone.client.hangUp();
    });
  }

  test('when the callers hang up nothing is left', async () => {
    for (const caller of callers.values()) (await caller).phone.client.hangUp();
    await until(() => rooms.sandbox.liveCalls === 0, 'no calls are live');
    // Rooms of transferred calls are left to the provider.
    const answering = numbers.filter((number) => [ANSWERS, HANGS_UP, PATIENT].includes(number));
    await rooms.untilRooms(({ length }) => length === answering.length, 'the rooms of the transferred calls are left');
  });
});

/** Checks that a caller was transferred to a destination that answers. */
async function connected(number: string): Promise<RoomCaller> {
  const caller = await of(number);
  await heardAnnouncement(caller);
  const { data } = await caller.tells('outcome');
  expect(data).toMatchObject({ status: 'answered', data: { toEndPoint: `+1202555${number}` } });
  expect(await caller.ended()).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(caller.states).toEqual(['ringing', 'starting', 'connected', 'transferring', 'ended']);
  await caller.tells('done');
  expect(caller.events.filter((event) => event === 'dialout_answered')).toHaveLength(1);
  expect(rooms.sandbox.placedCalls.get(`+1202555${number}`)).toBe(1);
  return caller;
}
