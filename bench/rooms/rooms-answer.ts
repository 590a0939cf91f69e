import { setTimeout } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { median, percentile } from '../statistics.js';
import type { RoomsRunnerOptions } from './account.js';
import type { PhoneNetwork } from './phone-network.js';
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
type Steps = Readonly<Record<(typeof STEPS)[number], number>>;

/** The sandbox's rooms and the real runner: calls one after the other, each with a warm process of its own. */
export async function* roomsAnswer(calls = 20): AsyncGenerator<Figure> {
  await using sandbox = new BenchProcess<PhoneNetwork>('../rooms/phone-network');
  const network = await sandbox.ask('address');
  const options: RoomsRunnerOptions = { botFile: compiled('bench/bots/room-talker'), network, callsPerProcess: 1 };
  await using runner = new BenchProcess<RoomsRunner>('../rooms/rooms-runner', JSON.stringify(options));
  await using phones = new BenchProcess<Phones>('../rooms/phones');
  const timed: Steps[] = [];
  while (timed.length < calls) {
    await runner.ask('ready');
    await setTimeout(WARM_UP_MS);
    timed.push(await oneCall(runner, phones, network));
  }
  const all = (step: (typeof STEPS)[number]) => timed.map((steps) => steps[step]);
  const p95 = percentile(all('first audio'), 0.95);
  const summary = (values: readonly number[]) =>
    [median(values), percentile(values, 0.95), values[0] ?? Number.NaN].map((value) => value.toFixed(0)).join(' / ');
  yield* [
    ...STEPS.map((step) => ({
      name: `rooms: webhook to ${step}, ${calls} calls: p50 / p95 / first`,
      ours: `${summary(all(step))} ms`,
    })),
    { name: 'rooms: webhook to first audio p95', ours: ms(p95), ...atMost(500, p95, ' ms') },
    { name: 'rooms: webhook to first audio, longest', ours: ms(Math.max(...all('first audio'))) },
  ];
}

async function oneCall(
  runner: BenchProcess<RoomsRunner>,
  phones: BenchProcess<Phones>,
  network: RoomsRunnerOptions['network'],
): Promise<Steps> {
  // The provider sends its webhook as it answers the phone.
  const { answered, webhookAnswered, forwarded, firstAudio } = await phones.ask('firstAudio', network);
  const told = new Map((await runner.ask('told')).map(({ event, at }) => [event, at]));
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
