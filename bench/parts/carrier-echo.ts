import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { EchoServer } from '../processes/bare-server.js';
import type { Load, LoadResult } from '../processes/load.js';
import { median } from '../statistics.js';

const CALLS = 200;
const ROUNDS = 3;
/** Until the code that runs 10,000 times a second is compiled to the end. */
const WARM_UP_MS = 6_000;
const WINDOW_MS = 5_000;

interface Round extends LoadResult {
  /** Processor time per second of one call, in milliseconds. */
  cpuMs: number;
}

/** The echo template with 200 calls in one process, and a bare echo server under the same load, in turns. */
export async function* carrierEcho(): AsyncGenerator<Figure> {
  await using load = new BenchProcess<Load>('load');
  await using bareServer = new BenchProcess<EchoServer>('bare-server');
  await using botServer = new BenchProcess<EchoServer>('bot-server', compiled('templates/echo/bot'));
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await echoRound(load, bareServer));
    ours.push(await echoRound(load, botServer));
  }

  const cpu = { bare: middle(bare, 'cpuMs'), ours: middle(ours, 'cpuMs') };
  const ratio = cpu.ours / cpu.bare;
  const delivered = { bare: deliveredPercent(bare), ours: deliveredPercent(ours) };
  const p50 = (rounds: Round[]) => median(rounds.map(({ echoDelay }) => echoDelay.p50));
  const p99 = (rounds: Round[]) => median(rounds.map(({ echoDelay }) => echoDelay.p99));
  yield* [
    {
      name: `echo, ${CALLS} calls: CPU per call and second`,
      bare: ms(cpu.bare),
      ours: ms(cpu.ours),
      ratio: ratio.toFixed(2),
      ...atMost(1.6, ratio, ''),
    },
    {
      name: `echo, ${CALLS} calls: audio delivered`,
      bare: `${delivered.bare.toFixed(2)} %`,
      ours: `${delivered.ours.toFixed(2)} %`,
      target: '>= 99.5 %',
      isHeld: delivered.ours >= 99.5,
    },
    { name: `echo, ${CALLS} calls: delay p50`, bare: ms(p50(bare)), ours: ms(p50(ours)) },
    {
      name: `echo, ${CALLS} calls: delay p99`,
      bare: ms(p99(bare)),
      ours: ms(p99(ours)),
      ...atMost(40, p99(ours), ' ms'),
    },
  ];
}

async function echoRound(load: BenchProcess<Load>, server: BenchProcess<EchoServer>): Promise<Round> {
  await load.ask('connect', Array<string>(CALLS).fill(await server.ask('url')));
  await delay(WARM_UP_MS);
  const before = await server.ask('usage');
  const result = await load.ask('measure', WINDOW_MS);
  const after = await server.ask('usage');
  await load.ask('hangUp');
  const cpuMs = (after.cpuMs - before.cpuMs) / ((after.atMs - before.atMs) / 1_000) / CALLS;
  return { ...result, cpuMs };
}

function middle(rounds: readonly Round[], name: 'cpuMs'): number {
  return median(rounds.map((round) => round[name]));
}

/** The worst round counts. */
function deliveredPercent(rounds: readonly Round[]): number {
  return Math.min(...rounds.map(({ echoedFrames, sentFrames }) => (100 * echoedFrames) / sentFrames));
}
