import { setTimeout as delay } from 'node:timers/promises';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { type Figure, mib } from '../figure.js';
import { memoryOf } from '../process-memory.js';
import { cpuMsOf, showsProcesses } from '../process-tree.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import { percentile } from '../statistics.js';
import { ROOMS, type RoomsRunnerOptions } from './account.js';
import type { Hearing } from './burst-hearing.js';
import { BURST_MS } from './bursts.js';
import { needsBrowser } from './needs-browser.js';
import type { Phones } from './phones.js';
import type { RoomsRunner } from './rooms-runner.js';

const COUNTS = [1, 5, 10];
/** Until what runs all the time is compiled to the end, and a call's jitter is known. */
const WARM_UP_MS = 3_000;
const WINDOW_MS = 20_000;
/** Share of what was said, in per cent. */
const LEAST_HEARD = 99.5;

interface Load {
  /** Of the runner, its bots and its browser; without calls, and with them. Bytes. */
  readonly idleMemory: number;
  readonly memory: number;
  /** Of the same, as a share of one core, in per cent. */
  readonly cpu: number;
  /** Of what each caller has said. */
  readonly echoes: readonly Hearing[];
}

/** The real runner on the sandbox's rooms, with echo bots that each have a process of their own, joined by both ways in turns. */
export async function* roomsLoad(...counts: number[]): AsyncGenerator<Figure> {
  needsBrowser();
  if (!showsProcesses) {
    yield { name: 'browser: CPU and memory per call', ours: 'only measured on Linux' };
    return;
  }
  for (const count of counts.length > 0 ? counts : COUNTS) {
    const bare = await load('built-in', count);
    const ours = await load('browser', count);
    const row = (name: string, value: (load: Load) => string): Figure => ({
      name: `browser, ${count} calls: ${name}`,
      bare: value(bare),
      ours: value(ours),
    });
    const compared = (name: string, value: (load: Load) => number, told: (value: number) => string): Figure => ({
      ...row(name, (load) => told(value(load))),
      ratio: (value(ours) / value(bare)).toFixed(2),
    });
    yield compared('CPU per call', ({ cpu }) => cpu / count, percent);
    yield compared('memory per call', ({ memory }) => memory / count, mib);
    yield compared('memory for the calls', ({ memory, idleMemory }) => (memory - idleMemory) / count, mib);
    yield row('memory without calls', ({ idleMemory }) => mib(idleMemory));
    const heard = heardShare(ours.echoes);
    yield {
      ...row('audio echoed', ({ echoes }) => percent(heardShare(echoes))),
      target: `>= ${LEAST_HEARD} %`,
      isHeld: heard >= LEAST_HEARD,
    };
    yield row('echo delay p50 / p95', ({ echoes }) => {
      const delays = echoes.flatMap(({ bursts }) => bursts.map(({ delayMs }) => delayMs));
      return `${percentile(delays, 0.5).toFixed(0)} / ${percentile(delays, 0.95).toFixed(0)} ms`;
    });
  }
}

const percent = (value: number): string => `${value.toFixed(1)} %`;

function heardShare(echoes: readonly Hearing[]): number {
  const bursts = echoes.flatMap((echo) => echo.bursts);
  const lost = echoes.reduce((sum, echo) => sum + echo.lost, 0);
  const missingMs = bursts.reduce((sum, burst) => sum + burst.missingMs, 0);
  return 100 * (1 - (missingMs + lost * BURST_MS) / ((bursts.length + lost) * BURST_MS));
}

async function load(client: RoomsClient, calls: number): Promise<Load> {
  console.error(`${calls} calls: ${client} …`);
  await using sandbox = new BenchProcess<PhoneNetwork>('processes/phone-network', ROOMS);
  const network = await sandbox.ask('address');
  const options: RoomsRunnerOptions = {
    botFile: compiled('bench/bots/room-echo'),
    network,
    callsPerProcess: 1,
    client,
    botEnvironment: { SAMPLE_RATE: '16000' },
  };
  await using runner = new BenchProcess<RoomsRunner>('rooms/rooms-runner', JSON.stringify(options));
  await using phones = new BenchProcess<Phones>('rooms/phones');
  await runner.ask('ready');
  await delay(WARM_UP_MS);
  const idleMemory = memoryOf(runner.pid).proportional;
  for (let call = 0; call < calls; call += 1) {
    await runner.ask('ready');
    await phones.ask('call', network, true, 'bursts');
  }
  await runner.ask('ready');
  await delay(WARM_UP_MS);
  const [cpuBefore, startedAt] = [cpuMsOf(runner.pid), performance.now()];
  await phones.ask('sayBursts', WINDOW_MS);
  const [cpuAfter, endedAt] = [cpuMsOf(runner.pid), performance.now()];
  const memory = memoryOf(runner.pid).proportional;
  const echoes = await phones.ask('echoes');
  return { idleMemory, memory, cpu: (100 * (cpuAfter - cpuBefore)) / (endedAt - startedAt), echoes };
}
