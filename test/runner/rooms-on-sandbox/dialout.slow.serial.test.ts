import { until } from '../../e2e/processes.js';
import { ROOMS_CLIENTS } from '../runner-on-sandbox.js';
import { type FollowedCall, RoomsOnSandbox } from './rooms-on-sandbox.js';

type Behaviour = readonly [does: string, number: string, reason: string];

/** Whoever is called there hangs up by himself. */
const HANGS_UP = '+12025550107';
/** What each of the sandbox's numbers does, and how a call to it ends. */
const NUMBERS: readonly Behaviour[] = [
  ['does not answer', '+12025550103', 'no_answer'],
  ['answers and talks', '+12025550101', 'bot_ended'],
  ['declines', '+12025550104', 'rejected'],
  ['is a voicemail', '+12025550105', 'bot_ended'],
  ['screens its calls', '+12025550106', 'bot_ended'],
  ['hangs up after three seconds', HANGS_UP, 'caller_hung_up'],
  ['cannot be transferred to', '+12025550108', 'bot_ended'],
  ['is nobody in particular', '+15551234567', 'bot_ended'],
];

/** Where bots join with the browser's client: a call that is ended by the bot, by who was called, and by a failure. */
const BY_BROWSER = ['+12025550101', '+12025550104', HANGS_UP];

let rooms: RoomsOnSandbox;
let calls: Map<string, Promise<FollowedCall>>;

describe.each(ROOMS_CLIENTS)('where bots join with the %s client', (client) => {
  const numbers = NUMBERS.filter(([, number]) => client === 'built-in' || BY_BROWSER.includes(number));

  beforeAll(async () => {
    // Call time passes five times faster than it is.
    rooms = await RoomsOnSandbox.start({ client, sandbox: { timing: { tickMs: 4 } }, callsPerProcess: 5, warm: 2 });
    const dial = (number: string) => {
      const endsAfterMs = number === HANGS_UP ? 60_000 : 1_500;
      return rooms.dial(number, { pitch: 600, endsAfterMs, name: `Ådå ${number}` });
    };
    calls = new Map(numbers.map(([, number]) => [number, dial(number)]));
  }, 30_000);

  afterAll(() => rooms[Symbol.asyncDispose]());

  test.each(numbers)('a call to a number that %s (%s) ends with %s', async (_, number, reason) => {
    const call = (await calls.get(number)) as FollowedCall;
    expect(await call.ended(25_000)).toMatchObject({
      endReason: reason,
      attempt: 1,
      direction: 'outbound',
      to: number,
    });
    const { data } = await call.tells('start');
    expect(data).toMatchObject({ phoneNumber: number, body: { pitch: 600, name: `Ådå ${number}` } });
    const isAnswered = reason === 'bot_ended' || reason === 'caller_hung_up';
    expect(call.events.includes('dialout_answered')).toBe(isAnswered);
    expect(call.states.includes('connected')).toBe(isAnswered);
    expect(rooms.sandbox.placedCalls.get(number)).toBe(1);
    await call.roomGone();
  });

  test('nothing is left when all calls are over', async () => {
    for (const call of calls.values()) await (await call).ended();
    await until(() => rooms.sandbox.liveCalls === 0, 'no calls are live');
    await rooms.untilRooms(({ length }) => length === 0, 'no rooms are open');
  });
});
