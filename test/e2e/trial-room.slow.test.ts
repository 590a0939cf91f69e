/** The trial room, as people see it: before the number is touched, and what is said when it fails. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { VoicebotError } from '../../src/base/errors.js';
import { Browser } from '../../src/providers/daily/client/browser.js';
import type { Pages } from '../../src/providers/daily/client/pages.js';
import { type FromPage, PAGE_PROTOCOL } from '../../src/providers/daily/client/wire.js';
import { BotPool } from '../../src/runner/bots/bot-pool.js';
import { RoomTranscripts } from '../../src/sandbox/rooms/transcripts.js';
import { ANY_HOUR } from '../any-hour.js';
import { admit, FakeRoomServer, refuse } from '../providers/rooms/webrtc/fake-room-server.js';
import { AccountRuns, ready } from './account-runs.js';
import { unusedAddress } from './addresses.js';
import { RoomsStandIn, SANDBOX } from './rooms-stand-in.js';
import { DOCTOR, failureTold, RUN, TrialVisits } from './trial-visits.js';

let runs: AccountRuns;
let provider: RoomsStandIn;
let visits: TrialVisits;

beforeAll(async () => {
  runs = await AccountRuns.open();
}, 30_000);

beforeEach(async () => {
  // Of commands in this process: their bots count as loaded.
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue();
  jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue();
  provider = await RoomsStandIn.before(runs.accounts.sandbox.roomsApiUrl);
  visits = new TrialVisits(runs, provider);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await provider[Symbol.asyncDispose]();
  await runs.tidy();
  await runs.expectAsBefore();
}, 30_000);

afterAll(() => runs[Symbol.asyncDispose](), 30_000);

/** A browser whose page says this as soon as it is asked to join. */
const pageThatSays = (message: FromPage): Pages => ({
  open: async (url) => {
    const { origin } = new URL(url);
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}socket`, PAGE_PROTOCOL, { origin });
    socket.on('message', () => socket.send(JSON.stringify(message)));
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { gone, close: () => socket.close() };
  },
});

test('success: joined before anything else is opened or changed; a line for people, an event for programs', async () => {
  const run = runs.run({ transport: 'rooms', args: ['bot.mjs'] });
  await ready(run);
  const names = run.events.all.map(({ event }) => event);
  expect(names.slice(0, names.indexOf('ready'))).toEqual(['room_tried']);
  expect(run.events.all[0]).toMatchObject({ joinMs: expect.any(Number), heard: true, dialout: true });
  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  await runs.expectAsBefore(run);

  provider.roomUrl = SANDBOX;
  const doctor = await visits.told(DOCTOR);
  expect(doctor.exitCode).toBe(0);
  expect(doctor.stderr).toMatch(/^✔ room {9}joined a trial room in \d\.\d s: heard and was heard$/m);
  // Whoever is refused later on has been told of the room before.
  const run2 = await visits.told(`${RUN} --tunnel-server ${await unusedAddress()}`);
  expect(run2.exitCode).toBe(5);
  expect(run2.stderr).toMatch(
    /Loading the bot …\nTrying a room …\nJoined a trial room in \d\.\d s: heard and was heard\nOpening a tunnel …\n/,
  );
}, 60_000);

test('a plan without transcription: a bot whose ears it is is refused before the first caller, and one with other ears is warned', async () => {
  provider.roomUrl = SANDBOX;
  const { perform } = RoomTranscripts.prototype;
  jest.spyOn(RoomTranscripts.prototype, 'perform').mockImplementation(function (
    this: RoomTranscripts,
    method,
    params,
    asker,
  ) {
    perform.call(this, method, params, { ...asker, isOnPlan: false });
  });
  const writeBot = (options: string) =>
    writeFileSync(
      join(runs.accounts.home, 'bot.mjs'),
      `export const options = { ${options} };\nexport async function bot() {}\n`,
    );
  const words = 'startTranscription: transcription is not enabled for this domain';
  writeBot('transcriptionEnabled: true');
  const run = await visits.told(RUN);
  expect(run.exitCode).toBe(5);
  expect(run.stderr).toContain(words);
  expect(run.stderr).toContain('VB_ROOMS_REQUEST_FAILED');
  const refused = await visits.told(DOCTOR);
  expect(refused.exitCode).toBe(5);
  expect(refused.stderr).toMatch(new RegExp(`^✖ transcription .*${words}`, 'm'));
  writeBot('transcriptionEnabled: true, stt: []');
  const warned = await visits.told(DOCTOR);
  expect(warned.exitCode).toBe(0);
  expect(warned.stderr).toMatch(new RegExp(`^! transcription .*${words}`, 'm'));
}, 120_000);

test('a carrier has no rooms to try', async () => {
  const run = runs.runHere({ args: ['bot.mjs'] });
  await run.ready();
  run.signal('SIGINT');
  const { events } = await run.ended;
  expect(events.map(({ event }) => event)).not.toContain('room_tried');
}, 30_000);

test('a provider whose rooms are web pages is refused where our own client was to join: exit 5', async () => {
  const host = new URL(provider.apiUrl).host;
  const hint =
    "check ROOMS_API_URL; where it is right, these rooms need their provider's own client: set ROOMS_CLIENT=browser, or pass `connect` in RoomsParams";
  const words = `The room could not be joined: ${host} answered a web page (200) where a room was expected`;
  expect(await visits.both()).toEqual(failureTold(5, 'VB_ROOM_JOIN_FAILED', words, hint));
});

test.each([
  [
    'creating the room',
    'a payment method is required for this',
    'VB_ROOMS_REQUEST_FAILED',
    'The room provider refused or failed a request: creating the room got status 400: a payment method is required for this',
  ],
  [
    'joining it',
    'account-missing-payment-method',
    'VB_ROOM_JOIN_FAILED',
    'The room could not be joined: account-missing-payment-method',
  ],
] as const)('an account without a payment card, as %s shows: exit 5', async (where, info, code, words) => {
  const door = await FakeRoomServer.start(refuse('', info));
  provider.roomUrl = door.url;
  if (where !== 'joining it') provider.refuses = ({ path }) => (path.endsWith('/rooms') ? invalid(info) : undefined);
  const hint =
    "add a payment card to the provider's account: without one no client can join its rooms, and no number can be called";
  expect(await visits.both()).toEqual(failureTold(5, code, words, hint));
  await door.close();
});

describe('through a browser', () => {
  const THROUGH_BROWSER = { ROOMS_CLIENT: 'browser' };

  /** In place of the browser of this machine. */
  function usePages({ open }: Pages): void {
    jest.spyOn(Browser.prototype, 'start').mockResolvedValue();
    jest.spyOn(Browser.prototype, 'open').mockImplementation(open);
  }

  test('the library is missing: exit 3 with the command that installs it', async () => {
    const problem = "the room provider's client, @daily-co/daily-js, is not installed";
    const hint = 'npm install @daily-co/daily-js puppeteer-core';
    usePages({
      open: async () => {
        throw new VoicebotError('VB_BROWSER_FAILED', problem, { hint });
      },
    });
    const words = `The browser that joins rooms cannot be used: ${problem}`;
    expect(await visits.both(THROUGH_BROWSER)).toEqual(failureTold(3, 'VB_BROWSER_FAILED', words, hint));
  });

  test.each([
    [
      'there is none',
      '/nowhere/chromium',
      'VOICEBOT_BROWSER is /nowhere/chromium, and no program is there',
      'set VOICEBOT_BROWSER to the absolute path of a Chrome, Chromium or Edge, or leave it out to have one found',
    ],
    [
      'it does not start',
      '/bin/false',
      '/bin/false has ended with code 1',
      'try another browser: set VOICEBOT_BROWSER',
    ],
  ])('no browser, as %s: exit 3 with what mends it', async (_what, program, problem, hint) => {
    const words = `The browser that joins rooms cannot be used: ${problem}`;
    const told = await visits.both({ ...THROUGH_BROWSER, VOICEBOT_BROWSER: program });
    expect(told).toEqual(failureTold(3, 'VB_BROWSER_FAILED', words, hint));
  });

  test("no internet: the provider's client cannot be loaded: exit 5 with the address", async () => {
    const info = 'https://c.daily.co/call-machine.js: Failed to fetch';
    usePages(pageThatSays({ type: 'failed', what: 'client', error: { error: '', info } }));
    const words = `The room provider could not be reached: the provider's client could not be loaded: ${info}`;
    const hint =
      "check this machine's way to the internet: the client loads its engine from the provider when it joins";
    expect(await visits.both(THROUGH_BROWSER)).toEqual(failureTold(5, 'VB_ROOMS_UNREACHABLE', words, hint));
  });

  test('the room is a web page, and the client says that there is none: exit 5', async () => {
    const error = { error: 'no-room', info: 'The meeting you are trying to join does not exist.' };
    usePages(pageThatSays({ type: 'failed', what: 'room', error }));
    const words = `The room could not be joined: no-room: ${error.info}`;
    const hint = 'create the room first: it does not exist, or has been deleted';
    expect(await visits.both(THROUGH_BROWSER)).toEqual(failureTold(5, 'VB_ROOM_JOIN_FAILED', words, hint));
  });
});

test('credentials that the provider does not take: the room is not tried, and the doctor says so', async () => {
  const { exitCode, stderr } = await visits.told(DOCTOR, { ROOMS_API_KEY: 'not-the-key' });
  expect(exitCode).toBe(4);
  expect(stderr).toContain(
    '! room         not tried, since the account could not be read\n               Correct the credentials first\n',
  );
  expect(provider.writes).toEqual([]);
});

test('an account that may not dial out: a warning for run and doctor, and dialout is refused before anybody is dialled', async () => {
  provider.roomUrl = SANDBOX;
  provider.refuses = ({ path }, fields) =>
    path.endsWith('/rooms') && fields.includes('"enable_dialout":true')
      ? invalid("property 'enable_dialout' cannot be set to that value with your current plan")
      : undefined;
  const doctor = await visits.told(DOCTOR);
  expect({ exitCode: doctor.exitCode, stderr: doctor.stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining(
      '! dial-out     the account may not dial out, so calls to numbers and transfers to them fail\n' +
        '               Have dial-out enabled for this account, which needs a plan that includes it\n',
    ),
  });

  const environment = { ROOMS_API_URL: provider.apiUrl, ...ANY_HOUR };
  const run = runs.runHere({ transport: 'rooms', args: ['bot.mjs'], environment });
  await run.ready();
  const dialout = await visits.told('dialout +12025550101');
  expect(dialout).toEqual({
    exitCode: 5,
    stderr:
      "✖ The room provider refused or failed a request: creating the room got status 400: property 'enable_dialout' cannot be set to that value with your current plan\n" +
      '  have dial-out enabled for this account, which needs a plan that includes it\n' +
      '  VB_ROOMS_REQUEST_FAILED\n',
  });
  run.signal('SIGINT');
  const { exitCode, events } = await run.ended;
  expect(exitCode).toBe(130);
  expect(events.find(({ event }) => event === 'problem')?.message).toBe(
    'the account may not dial out, so calls to numbers and transfers to them fail. Have dial-out enabled for this account, which needs a plan that includes it',
  );
  await runs.expectAsBefore();
}, 60_000);

const invalid = (info: string) => ({ status: 400, error: 'invalid-request-error', info });

test('no sound comes through: exit 5 with what a firewall has to let through', async () => {
  const silent = await FakeRoomServer.start(admit([], 16_000));
  provider.roomUrl = silent.url;
  try {
    const { exitCode, stderr } = await visits.told(RUN);
    expect({ exitCode, told: stderr.slice(stderr.indexOf('✖')) }).toEqual({
      exitCode: 5,
      told:
        '✖ The room could not be joined: it let both participants in, but no sound came through\n' +
        "  let UDP to the provider's servers, or TCP port 443 to its TURN servers, through the firewalls of this machine and its network\n" +
        '  VB_ROOM_JOIN_FAILED\n',
    });
    expect(silent.clients).toHaveLength(2);
  } finally {
    await silent.close();
  }
}, 60_000);

test('a web page in place of a room, through a real browser: exit 5, naming what could not be loaded', async () => {
  const { exitCode, stderr } = await visits.told(RUN, { ROOMS_CLIENT: 'browser' });
  const words = `✖ The room provider could not be reached: the provider's client could not be loaded: ${new URL(provider.apiUrl).origin}/client.js: `;
  expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringContaining(words) });
}, 60_000);
