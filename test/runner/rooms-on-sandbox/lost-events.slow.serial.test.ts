import { existsSync } from 'node:fs';
import type { RoomEventFault, RoomEventName } from '../../../src/sandbox/rooms/event-faults.js';
import { ROOMS_CLIENTS, ROOMS_KEY } from '../runner-on-sandbox.js';
import { RoomsOnSandbox } from './rooms-on-sandbox.js';

/** Answers after a second and talks. */
const TALKS = '+12025550101';
const RINGS_ON = '+12025550103';

const hasChromium = existsSync('/usr/bin/chromium');

/** Events of who calls. What a bot does without one is decided behind both clients, so a browser has one of each kind. */
const LOST_AT_BEGIN: ReadonlyArray<readonly [event: RoomEventName, from: string, isForBoth: boolean]> = [
  ['participant-joined', '+15550000610', true],
  ['dialin-connected', '+15550000620', false],
  ['dialin-ready', '+15550000630', false],
];
const LOST_AT_END: typeof LOST_AT_BEGIN = [
  ['participant-left', '+15550000640', true],
  ['dialin-stopped', '+15550000650', false],
];

let rooms: RoomsOnSandbox;
/** What becomes of events, read for each of them. */
let faults: RoomEventFault[];

describe.each(ROOMS_CLIENTS)('where bots join with the %s client', (client) => {
  const needs = client === 'browser' ? ' (needs chromium)' : '';
  const clientTest = client === 'browser' && !hasChromium ? test.skip : test;
  const here = (rows: typeof LOST_AT_BEGIN) =>
    rows.filter(([, , isForBoth]) => isForBoth || client === 'built-in').map(([event, from]) => [event, from] as const);

  beforeAll(async () => {
    faults = [];
    if (client === 'browser' && !hasChromium) return;
    const sandbox = { rooms: { apiKey: ROOMS_KEY, eventFaults: faults } };
    rooms = await RoomsOnSandbox.start({ client, sandbox, ringSeconds: 6, callsPerProcess: 5 });
  }, 30_000);

  afterAll(() => rooms?.[Symbol.asyncDispose]());

  beforeEach(() => {
    faults.length = 0;
  });

  const lose = (event: RoomEventName): void => {
    faults.push({ event, fault: 'drop' });
  };

  clientTest.each(here(LOST_AT_END))(`a call ends with its caller though %s is lost${needs}`, async (event, from) => {
    lose(event);
    await using caller = await rooms.caller(from);
    await caller.hears(Number(from.slice(-3)), { limitMs: 15_000 });
    caller.phone.client.hangUp();
    expect(await caller.ended()).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  });

  clientTest.each(here(LOST_AT_BEGIN))(`a caller hears the bot though %s is lost${needs}`, async (event, from) => {
    lose(event);
    await using caller = await rooms.caller(from);
    await caller.hears(Number(from.slice(-3)), { limitMs: 15_000 });
    caller.phone.client.hangUp();
    expect(await caller.ended()).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
    await caller.roomGone();
  });

  clientTest(`a room that somebody deletes ends its call, and no other bot is started${needs}`, async () => {
    await using caller = await rooms.caller('+15550000660');
    await caller.hears(660, { limitMs: 15_000 });
    const { data } = await caller.tells('start');
    await fetch(`${rooms.sandbox.roomsApiUrl}/rooms/${new URL(data.room_url).pathname.slice(1)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ROOMS_KEY}` },
    });
    expect(await caller.ended()).toMatchObject({ endReason: 'room_closed', attempt: 1 });
    expect(caller.told.filter(({ event }) => event === 'start')).toHaveLength(1);
  });

  clientTest(`somebody who answers and talks is served though nobody tells that they answered${needs}`, async () => {
    lose('dialout-answered');
    const call = await rooms.dial(TALKS, { pitch: 600, endsAfterMs: 8_000 });
    const record = await call.ended(25_000);
    expect(record).toMatchObject({ endReason: 'bot_ended', attempt: 1, answeredAt: expect.any(Number) });
    expect(call.events.filter((event) => event === 'dialout_answered')).toHaveLength(1);
    expect(rooms.sandbox.placedCalls.get(TALKS)).toBe(1);
    await call.roomGone();
  });

  clientTest(`nobody has answered a phone that rings on, whose end nobody tells${needs}`, async () => {
    lose('dialout-stopped');
    const call = await rooms.dial(RINGS_ON, { pitch: 600 });
    expect(await call.ended(20_000)).toMatchObject({ endReason: 'no_answer', attempt: 1 });
    expect(call.states).not.toContain('connected');
    await call.roomGone();
  });
});
