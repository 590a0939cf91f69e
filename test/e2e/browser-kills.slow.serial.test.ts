import type { RoomMethod } from '../../src/providers/rooms/client-messages.js';
import { FakeCaller } from '../sandbox/fake-caller.js';
import { Accounts } from './accounts.js';
import { type KilledCaller, KilledCalls, type Left, type Victim } from './killed-calls.js';

/** Every test starts processes and makes calls. */
jest.setTimeout(120_000);

/** Where callers are transferred to. It rings for longer than a lost page takes to come back. */
const OPERATOR = '+12025550155';
const OPERATOR_RING_MS = 4_000;
/** Who is called rings for a second, and hangs up three seconds after the answer. */
const CALLEES = { page: '+12125550107', browser: '+12135550107', bot: '+12145550107', runner: '+12155550107' };
/** Like the {@link CALLEES}. */
const MISSED = '+12165550107';
/** A number that rings for a minute. */
const UNCERTAIN = '+12125550103';
/** How long a caller may hear nothing when a page or a browser is lost, in milliseconds. */
const SILENCE_LIMIT_MS = 6_000;
const NOTHING: Left = { processes: 0, pages: 0, folders: 0, rooms: 0 };

let accounts: Accounts;
let calls: KilledCalls;
/** What became of each call. */
const table: string[] = [];

beforeAll(async () => {
  accounts = await Accounts.open();
}, 30_000);

afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]();
  process.stderr.write(table.map((row) => `  ${row}\n`).join(''));
}, 30_000);

/** What happens up to the kill and after it, up to the end of the call. */
interface Moment {
  /** @returns the longest silence of the caller from the kill on, in milliseconds, where there is a caller who hears the bot */
  call(victim: Victim): Promise<number | undefined>;
  readonly endReason: string;
  /** Whom the provider has called, once each. */
  called?(victim: Victim): string;
}

const MOMENTS = {
  'while the bot joins the room': {
    async call(victim: Victim) {
      await using caller = await callerAnd('onEnter', victim);
      return await isServedAgain(caller, 0);
    },
    endReason: 'caller_hung_up',
  },
  'while the caller is fetched': {
    async call(victim: Victim) {
      await using caller = await callerAnd('onForward', victim);
      return await isServedAgain(caller, 0);
    },
    endReason: 'caller_hung_up',
  },
  'while the two talk': {
    async call(victim: Victim) {
      await using caller = await calls.caller();
      await caller.hearsBot();
      const { entered } = calls;
      const { heardMs } = caller;
      calls.kill(victim);
      await calls.enters(entered);
      return await isServedAgain(caller, heardMs);
    },
    endReason: 'caller_hung_up',
  },
  'while somebody who is called lets it ring': {
    async call(victim: Victim) {
      await calls.dial(CALLEES[victim]);
      await calls.tells('dialout_connected');
      calls.kill(victim);
      await calls.enters(1);
      await calls.over();
      return undefined;
    },
    called: (victim: Victim) => CALLEES[victim],
    endReason: 'caller_hung_up',
  },
  'while the destination of a transfer rings': {
    async call(victim: Victim) {
      await using _ = await operator();
      await using caller = await calls.caller();
      await caller.hearsBot();
      caller.phone.client.press('*');
      await calls.tells('dialout_connected');
      calls.kill(victim);
      await caller.talksTo(OPERATOR);
      if (victim !== 'runner') await calls.ended();
      await caller.hangUp();
      return undefined;
    },
    called: () => OPERATOR,
    endReason: 'transferred',
  },
} as const satisfies Record<string, Moment>;

type When = keyof typeof MOMENTS;

/** How long what a runner leaves may take to go without it, in milliseconds. */
const ORPHANS_LIMIT_MS = 45_000;
/**
 * Each part at the moments at which its loss is another one: of a page and of a browser the bot hears the same, of a bot nothing but
 * its page differs from what `recovery.slow.serial.test.ts` shows without a browser.
 */
const KILLS: ReadonlyArray<[victim: Victim, when: When, attempt: number]> = [
  ...(Object.keys(MOMENTS) as When[]).map((when): [Victim, When, number] => ['page', when, 1]),
  ['browser', 'while the bot joins the room', 1],
  ['bot', 'while the caller is fetched', 2],
  ['bot', 'while somebody who is called lets it ring', 2],
];

/** The phone of who is transferred to. */
const operator = () => FakeCaller.attending(accounts.sandbox, OPERATOR, { ringMs: OPERATOR_RING_MS });

/** Somebody calls, and the victim dies at that moment. */
async function callerAnd(moment: 'onEnter' | 'onForward', victim: Victim): Promise<KilledCaller> {
  calls[moment] = () => {
    calls[moment] = () => {};
    calls.kill(victim);
  };
  const caller = await calls.caller();
  await calls.enters(1);
  return caller;
}

/** The bot is heard, and the caller hangs up. @returns the longest silence, in milliseconds */
async function isServedAgain(caller: KilledCaller, fromMs: number): Promise<number> {
  await caller.hearsBot();
  await caller.hangUp();
  return caller.longestSilenceMs(fromMs);
}

/** Nobody is called twice, and no caller is left in silence for long because a page or a browser is lost. */
async function killed(victim: Victim, when: When): Promise<void> {
  const { call, called }: Moment = MOMENTS[when];
  await calls.begin();
  const silenceMs = await call(victim);
  const placed = calls.placed();
  table.push(`${victim} killed ${when}: silence ${silenceMs ?? '–'} ms, called ${JSON.stringify(placed)}`);
  expect(placed).toEqual(called ? { [called(victim)]: 1 } : {});
  if (silenceMs !== undefined && (victim === 'page' || victim === 'browser'))
    expect(silenceMs).toBeLessThanOrEqual(SILENCE_LIMIT_MS);
}

describe('while the runner lives', () => {
  beforeAll(async () => {
    calls = await KilledCalls.open(accounts, '--warm', '3', '--drain-seconds', '0');
  }, 60_000);
  afterAll(() => calls?.[Symbol.asyncDispose](), 30_000);

  test.each(KILLS)(
    'a call goes on and nothing is left of it when the %s is killed %s',
    async (victim, when, attempt) => {
      await killed(victim, when);
      const { endReason } = MOMENTS[when];
      expect(await calls.ended()).toMatchObject([{ endReason, attempt }]);
      const rooms = endReason === 'transferred' ? 1 : 0; // it is left to its expiry
      const left = await calls.left(rooms);
      table.push(`  ended as ${endReason} by bot ${attempt}; left ${JSON.stringify(left)}`);
      expect(left).toEqual({ ...NOTHING, rooms });
    },
  );

  describe('when the page is killed before it is told that the provider does what it was asked for, nobody is called twice', () => {
    const killedBy = (asked: RoomMethod) => {
      calls.onRequest = (method) => {
        if (method !== asked) return;
        calls.onRequest = () => {};
        calls.kill('page');
      };
    };

    test('a call that goes out ends, and rings no longer', async () => {
      await calls.begin();
      killedBy('startDialOut');
      await calls.dial(UNCERTAIN);
      expect(await calls.ended()).toMatchObject([{ endReason: 'telephony_error', attempt: 1 }]);
      await calls.over();
      expect(calls.placed()).toEqual({ [UNCERTAIN]: 1 });
      expect(await calls.left()).toEqual(NOTHING);
    });

    test('a transfer goes on', async () => {
      await calls.begin();
      killedBy('sipCallTransfer');
      await using _ = await operator();
      await using caller = await calls.caller();
      await caller.hearsBot();
      caller.phone.client.press('*');
      await caller.talksTo(OPERATOR);
      expect(await calls.ended()).toMatchObject([{ endReason: 'transferred', attempt: 1 }]);
      await caller.hangUp();
      expect(calls.placed()).toEqual({ [OPERATOR]: 1 });
    });
  });

  test('when the page is killed just before it is told that somebody has answered, the bot serves who was called', async () => {
    await calls.begin();
    calls.onNews = (action) => {
      if (action !== 'dialout-answered') return;
      calls.onNews = () => {};
      calls.kill('page');
    };
    await calls.dial(MISSED);
    await calls.tells('dialout_answered');
    expect(await calls.ended()).toMatchObject([{ endReason: 'caller_hung_up', attempt: 1 }]);
    expect(calls.placed()).toEqual({ [MISSED]: 1 });
    expect(await calls.left()).toEqual(NOTHING);
  });

  test('a browser that is killed in three calls takes none of them along', async () => {
    await calls.begin(3);
    const callers = await Promise.all(['1', '2', '3'].map((n) => calls.caller(`+1202555017${n}`)));
    try {
      await Promise.all(callers.map((caller) => caller.hearsBot()));
      const from = callers.map(({ heardMs }) => heardMs);
      calls.kill('browser');
      await calls.enters(5);
      await Promise.all(callers.map((caller) => caller.hearsBot()));
      const silences = callers.map((caller, n) => caller.longestSilenceMs(from[n] ?? 0));
      table.push(`browser killed in three calls: silence ${silences.join(', ')} ms`);
      await Promise.all(callers.map((caller) => caller.hangUp()));
    } finally {
      for (const caller of callers) await caller[Symbol.asyncDispose]();
    }
    const once = { endReason: 'caller_hung_up', attempt: 1 };
    expect(await calls.ended(3)).toMatchObject([once, once, once]);
    expect(await calls.left()).toEqual(NOTHING);
  });

  test('a runner that is ended by SIGTERM while two talk leaves nothing', async () => {
    await calls.begin();
    await using caller = await calls.caller();
    await caller.hearsBot();
    calls.run.signal('SIGTERM');
    expect(await calls.run.exit).toBe(143);
    await caller.phone.ended();
    const left = await calls.left();
    expect(await calls.ended()).toMatchObject([{ endReason: 'runner_stopped' }]);
    table.push(`runner ended by SIGTERM while two talk: left ${JSON.stringify(left)}`);
    expect(left).toEqual(NOTHING);
  });
});

describe('when the runner is killed, the bot goes on, and neither its own browser nor that of the runner is left:', () => {
  beforeEach(async () => {
    calls = await KilledCalls.open(accounts);
  }, 60_000);
  afterEach(() => calls?.[Symbol.asyncDispose](), 30_000);

  test.each<When>(['while the bot joins the room', 'while the destination of a transfer rings'])('%s', async (when) => {
    await killed('runner', when);
    const left = await calls.left(1, ORPHANS_LIMIT_MS); // the next runner closes the room
    table.push(`  left ${JSON.stringify(left)}`);
    expect(left).toEqual({ ...NOTHING, rooms: 1 });
  });
});
