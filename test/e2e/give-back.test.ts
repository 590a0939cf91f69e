import { decodeMulaw } from '../../src/audio/mulaw.js';
import type { FakeCaller } from '../sandbox/fake-caller.js';
import { Accounts, ROOM_NUMBERS, SHARED_NUMBER } from './accounts.js';
import { until } from './processes.js';
import { Voicebot } from './voicebot.js';

let accounts: Accounts;
let before: string[];

beforeAll(async () => {
  accounts = await Accounts.open();
  before = await accounts.stored();
}, 30_000);

afterAll(() => accounts[Symbol.asyncDispose]());

const started = (transport: 'carrier' | 'rooms', number: string, environment: Record<string, string> = {}) =>
  new Voicebot(['run', '--transport', transport, '--dialin', '--port', '0'], {
    home: accounts.home,
    cwd: accounts.home,
    environment: { ...accounts.environment(number), ...environment },
  });

const WAYS = [
  ['carrier', 'an application of our own', SHARED_NUMBER, {}],
  ['carrier', 'the application that three numbers share', SHARED_NUMBER, { CARRIER_APPLICATION: 'existing' }],
  ['rooms', 'settings of its own', ROOM_NUMBERS.own, {}],
  ['rooms', 'an entry in the legacy array', ROOM_NUMBERS.legacy, {}],
  ['rooms', 'no settings yet', ROOM_NUMBERS.none, {}],
] as const;

const isConnected = ({ events }: Voicebot) =>
  events.all.some(({ event, call }) => event === 'call' && call.state === 'connected');
const isHeard = ({ heard }: FakeCaller) =>
  heard.all.some((frame) => decodeMulaw(frame).some((sample) => sample > 2_000));

test.each(WAYS)(
  '%s, %s: run, call, Ctrl-C, and every byte is as before',
  async (transport, _how, number, environment) => {
    await using run = started(transport, number, environment);
    await run.event('ready', { number, tunnel: 'localtunnel' }, 30_000);
    expect(await accounts.stored()).not.toEqual(before);

    await using caller = await accounts.call(number);
    await until(() => isConnected(run), 'the bot talks', 20_000);
    await until(() => isHeard(caller), 'it is heard', 20_000);

    run.signal('SIGINT');
    expect(await run.exit).toBe(130);
    expect(await accounts.stored()).toEqual(before);
    expect(run.events.all).toContainEqual(
      expect.objectContaining({ event: 'given_back', number, outcome: 'restored' }),
    );
  },
  90_000,
);

/** Killed ten times in all, each time somewhere between the start of a run and the end of its stop. */
const LONGEST_RUN_MS = 6_000;

test.each(WAYS)(
  '%s, %s: killed at two random moments, each followed by a start, and every byte is as before',
  async (transport, _how, number, environment) => {
    const told: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const afterMs = Math.round(Math.random() * LONGEST_RUN_MS);
      const killed = started(transport, number, environment);
      const timers = [
        setTimeout(() => killed.signal('SIGINT'), LONGEST_RUN_MS * 0.8),
        setTimeout(() => killed.signal('SIGKILL'), afterMs),
      ];
      await killed.exit;
      for (const timer of timers) clearTimeout(timer);
      await killed[Symbol.asyncDispose]();
      told.push(`killed after ${afterMs} ms, with ${killed.events.all.map(({ event }) => event).join(' ')}`);

      await using next = started(transport, number, environment);
      await next.event('ready', {}, 30_000).catch((error: unknown) => {
        throw new Error([...told, ...next.events.all.map((event) => JSON.stringify(event))].join('\n'), {
          cause: error,
        });
      });
      next.signal('SIGINT');
      expect([await next.exit, ...told]).toEqual([130, ...told]);
      expect([...told, ...(await accounts.stored())]).toEqual([...told, ...before]);
    }
  },
  120_000,
);
