import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import { type AccountRuns, ready, type Transport } from './account-runs.js';
import { ROOM_NUMBERS, SHARED_NUMBER } from './accounts.js';
import { until } from './processes.js';
import type { Voicebot } from './voicebot.js';

/** How a number is pointed at a runner. */
export interface Way {
  readonly transport: Transport;
  readonly how: string;
  readonly number: string;
}

export const WAYS = {
  ownApplication: { transport: 'carrier', how: 'an application of our own', number: SHARED_NUMBER },
  ownSettings: { transport: 'rooms', how: 'settings of its own', number: ROOM_NUMBERS.own },
  legacyArray: { transport: 'rooms', how: 'an entry in the legacy array', number: ROOM_NUMBERS.legacy },
  noSettings: { transport: 'rooms', how: 'no settings yet', number: ROOM_NUMBERS.none },
} as const satisfies Record<string, Way>;

export const environmentOf = ({ number }: Way) => ({ CARRIER_PHONE_NUMBER: number, ROOMS_PHONE_NUMBER: number });

export const startedIn = (runs: AccountRuns, way: Way): Voicebot =>
  runs.run({ transport: way.transport, environment: environmentOf(way) });

/** A run, a call to its number that is heard, and Ctrl-C; the number is as before. */
export async function callAndGiveBack(runs: AccountRuns, way: Way): Promise<void> {
  const run = startedIn(runs, way);
  expect(await ready(run)).toMatchObject({ number: way.number, tunnel: 'localtunnel' });
  expect(await runs.accounts.stored()).not.toEqual(runs.before);

  await using caller = await runs.accounts.call(way.number);
  await run.events.next(({ event, call }) => event === 'call' && call.state === 'connected', 20_000);
  const isSound = (frame: Uint8Array) => decodeMulaw(frame).some((sample) => sample > 2_000);
  await until(() => caller.heard.all.some(isSound), 'the bot is heard', 20_000);

  run.signal('SIGINT');
  expect(await run.exit).toBe(130);
  expect(run.events.all).toContainEqual(
    expect.objectContaining({ event: 'given_back', number: way.number, outcome: 'restored' }),
  );
  const ends = run.events.all.filter(({ event, call }) => event === 'call' && call.state === 'ended');
  expect(ends).toMatchObject([{ call: { endReason: 'runner_stopped' } }]);
  await runs.expectAsBefore(run);
}
