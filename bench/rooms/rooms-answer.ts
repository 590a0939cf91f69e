import { setTimeout } from 'node:timers/promises';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import { median, percentile } from '../statistics.js';
import { ROOMS, type RoomsRunnerOptions } from './account.js';
import { needsBrowser } from './needs-browser.js';
import type { Phones } from './phones.js';
import type { RoomsRunner } from './rooms-runner.js';

/** How long a process that takes calls may take to load what rooms need, in milliseconds: the bots are warm. */
const WARM_UP_MS = 1_500;

const STEPS = [
  'webhook answered',
  'bot started',
  'bot in the room',
  'room ready for the caller',
  'caller forwarded',
  'caller in the room',
  'first audio',
] as const;

/** When each step of a call was over, in milliseconds since the provider has sent its webhook. */
type Step = (typeof STEPS)[number];
type Steps = Readonly<Record<Step, number>>;

/** The sandbox's rooms and the real runner: calls one after the other, each with a warm process of its own. */
export async function* roomsAnswer(calls = 20): AsyncGenerator<Figure> {
  const timed = await timeCalls('built-in', calls);
  const p95 = percentile(all(timed, 'first audio'), 0.95);
  yield* [
    ...STEPS.map((step) => ({
      name: `rooms: webhook to ${step}, ${calls} calls: p50 / p95 / first`,
      ours: summary(all(timed, step)),
    })),
    { name: 'rooms: webhook to first audio p95', ours: ms(p95), ...atMost(500, p95, ' ms') },
    { name: 'rooms: webhook to first audio, longest', ours: ms(Math.max(...all(timed, 'first audio'))) },
  ];
}

/** The same for bots that join rooms through the runner's browser, beside the built-in connection. */
export async function* roomsAnswerBrowser(calls = 20): AsyncGenerator<Figure> {
  needsBrowser();
  const bare = await timeCalls('built-in', calls);
  const ours = await timeCalls('browser', calls);
  yield* STEPS.map((step) => ({
    name: `browser: webhook to ${step}: p50 / p95 / first`,
    bare: summary(all(bare, step)),
    ours: summary(all(ours, step)),
  }));
  for (const share of [0.5, 0.95]) {
    const [before, after] = [bare, ours].map((timed) => percentile(all(timed, 'first audio'), share)) as [
      number,
      number,
    ];
    yield {
      name: `browser: webhook to first audio, ${calls} calls: p${100 * share}`,
      bare: ms(before),
      ours: ms(after),
      ratio: (after / before).toFixed(2),
    };
  }
}

async function timeCalls(client: RoomsClient, calls: number): Promise<Steps[]> {
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', ROOMS);
  const network = await sandbox.ask('address');
  const botFile = compiled('bench/bots/room-talker');
  const options: RoomsRunnerOptions = { botFile, network, callsPerProcess: 1, client };
  await using runner = new BenchProcess<RoomsRunner>('rooms/rooms-runner', JSON.stringify(options));
  await using phones = new BenchProcess<Phones>('rooms/phones');
  const timed: Steps[] = [];
  while (timed.length < calls) {
    await runner.ask('ready');
    await setTimeout(WARM_UP_MS);
    timed.push(await oneCall(runner, phones, network));
  }
  return timed;
}

/** What a bot tells after the caller has heard it is left out. */
const all = (timed: readonly Steps[], step: Step): number[] =>
  timed.map((steps) => steps[step]).filter(Number.isFinite);

const summary = (values: readonly number[]): string =>
  `${[median(values), percentile(values, 0.95), values[0] ?? Number.NaN].map((value) => value.toFixed(0)).join(' / ')} ms`;

async function oneCall(
  runner: BenchProcess<RoomsRunner>,
  phones: BenchProcess<Phones>,
  network: RoomsRunnerOptions['network'],
): Promise<Steps> {
  // The provider sends its webhook as it answers the phone.
  const { answered, webhookAnswered, forwarded, firstAudio } = await phones.ask('firstAudio', network);
  const told = new Map((await runner.ask('told')).flatMap(({ event, at }) => (at < answered ? [] : [[event, at]])));
  const when = (event: string) => told.get(event) ?? Number.NaN;
  const times: Steps = {
    'webhook answered': webhookAnswered,
    'bot started': when('started'),
    'bot in the room': when('joined'),
    'room ready for the caller': when('dialin_ready'),
    'caller forwarded': forwarded,
    'caller in the room': when('first_participant_joined'),
    'first audio': firstAudio,
  };
  return Object.fromEntries(Object.entries(times).map(([step, at]) => [step, at - answered])) as Steps;
}
