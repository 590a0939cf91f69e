import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { cpuMsOf, showsProcesses } from '../process-tree.js';
import type { EchoResult } from '../processes/echo.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import type { BenchRunner } from '../processes/runner.js';
import { phoneToken, ROOMS, type RoomsRunnerOptions } from './account.js';
import type { Phones } from './phones.js';
import type { RoomsRunner } from './rooms-runner.js';

const ROUNDS = 3;
/** Until the code that runs a thousand times a second is compiled to the end. */
const WARM_UP_MS = 3_000;
const WINDOW_MS = 30_000;
/** How many pipelines one process serves. */
const CALLS_PER_PROCESS = 100;

/** Processor time as a share of one core, in per cent. */
interface Round extends EchoResult {
  sandboxCpu: number;
  botCpu: number;
  tick: { p50Ms: number; p99Ms: number; maxMs: number } | undefined;
}

/** Rooms with one caller and one echo bot each, and as many calls by the carrier's media streams, in turns; Opus once. */
export async function* roomsMixing(rooms = 20): AsyncGenerator<Figure> {
  const carrier: Round[] = [];
  const pcmu: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    console.error(`Round ${round + 1} of ${ROUNDS} …`);
    carrier.push(await carrierRound(rooms));
    pcmu.push(await roomsRound(rooms, 8_000));
  }
  const opus = [await roomsRound(rooms, 16_000)];
  const worst = Math.max(...pcmu.map(({ tick }) => tick?.p99Ms ?? Number.NaN));
  const delivered = Math.min(...pcmu.map(share));
  const each = (rounds: readonly Round[], value: (round: Round) => string) => rounds.map(value).join(', ');
  const row = (name: string, value: (round: Round) => string): Figure => ({
    name: `${name}, compared with media streams`,
    bare: each(carrier, value),
    ours: each(pcmu, value),
  });
  const tick = ({ tick }: Round) =>
    tick ? `${tick.p50Ms.toFixed(1)} / ${tick.p99Ms.toFixed(1)} / ${tick.maxMs.toFixed(1)}` : '';
  const percent = (value: number) => `${value.toFixed(1)} %`;
  const of = `${rooms} rooms`;
  yield* [
    { name: `${of}: mixing tick p50 / p99 / max in ms`, ours: each(pcmu, tick), ...atMost(10, worst, ' ms p99') },
    { name: `${of}: mixing tick p50 / p99 / max in ms, Opus`, ours: each(opus, tick) },
    {
      ...row(`${of}: audio echoed`, (round) => percent(share(round))),
      target: '>= 99.5 %',
      isHeld: delivered >= 99.5,
    },
    row(`${of}: echo delay p50`, (round) => ms(round.echoDelay.p50)),
    row(`${of}: echo delay p99`, (round) => ms(round.echoDelay.p99)),
    row(`${of}: CPU of the sandbox`, (round) => percent(round.sandboxCpu)),
    row(`${of}: CPU of the bots`, (round) => percent(round.botCpu)),
    { name: `${of}: CPU of the sandbox, Opus`, ours: each(opus, (round) => percent(round.sandboxCpu)) },
    { name: `${of}: CPU of the bots, Opus`, ours: each(opus, (round) => percent(round.botCpu)) },
  ];
}

async function roomsRound(calls: number, sampleRate: number): Promise<Round> {
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', ROOMS);
  const network = await sandbox.ask('address');
  const options: RoomsRunnerOptions = {
    botFile: compiled('bench/bots/room-echo'),
    network,
    callsPerProcess: CALLS_PER_PROCESS,
    botEnvironment: { SAMPLE_RATE: String(sampleRate) },
  };
  await using runner = new BenchProcess<RoomsRunner>('rooms/rooms-runner', JSON.stringify(options));
  await runner.ask('ready');
  return await measure(sandbox, runner, calls, true);
}

async function carrierRound(calls: number): Promise<Round> {
  const bot = compiled('templates/echo/bot');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', bot, String(CALLS_PER_PROCESS));
  const url = await runner.ask('url');
  const options: Partial<SandboxOptions> = { phoneToken, answerUrl: `${url}/answer` };
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', JSON.stringify(options));
  return await measure(sandbox, runner, calls, false);
}

async function measure(
  sandbox: BenchProcess<PhoneNetwork>,
  runner: { readonly pid: number },
  calls: number,
  hasMelody: boolean,
): Promise<Round> {
  await using phones = new BenchProcess<Phones>('rooms/phones');
  const network = await sandbox.ask('address');
  for (let call = 0; call < calls; call += 1) await phones.ask('call', network, hasMelody);
  await delay(WARM_UP_MS);
  const before = await sandbox.ask('usage');
  const botsBefore = cpuOf(runner);
  const echo = await phones.ask('measure', WINDOW_MS);
  const botsAfter = cpuOf(runner);
  const after = await sandbox.ask('usage');
  const tick = await sandbox.ask('mixing');
  await phones.ask('hangUp');
  const elapsedMs = after.atMs - before.atMs;
  return {
    ...echo,
    sandboxCpu: (100 * (after.cpuMs - before.cpuMs)) / elapsedMs,
    botCpu: (100 * (botsAfter - botsBefore)) / elapsedMs,
    tick,
  };
}

/** Of a runner and its bots. */
const cpuOf = ({ pid }: { readonly pid: number }) => (showsProcesses ? cpuMsOf(pid) : Number.NaN);

const share = ({ echoedFrames, sentFrames }: EchoResult) => (100 * echoedFrames) / sentFrames;
