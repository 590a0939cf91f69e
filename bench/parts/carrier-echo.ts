import { setTimeout as delay } from 'node:timers/promises';
import type { RecordingRule } from '../../src/runner/calls/life/call-folders.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { cpuMsOf, showsProcesses } from '../process-tree.js';
import { type BenchAccount, plivoAccount } from '../processes/account.js';
import type { EchoServer } from '../processes/bare-server.js';
import type { Load, LoadResult } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { median } from '../statistics.js';

/** What processor time may be beside the bare server's, by the number of calls; more calls share what a process does anyway. */
const TARGETS: Readonly<Record<number, number>> = { 200: 1.2, 400: 1 };
const ROUNDS = 3;
/** Until the code that runs 10,000 times a second is compiled to the end, and processes that have started have tidied up after themselves. */
const WARM_UP_MS = 10_000;
const WINDOW_MS = 5_000;

export interface Round extends LoadResult {
  /** Processor time per second of one call, in milliseconds. */
  cpuMs: number;
}

/** The echo template behind the real runner, all calls in one process of bots, and a bare echo server under the same load, in turns. */
export async function* carrierEcho(...counts: number[]): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  for (const calls of counts.length > 0 ? counts : Object.keys(TARGETS).map(Number)) yield* echoOf(calls);
}

async function* echoOf(calls: number): AsyncGenerator<Figure> {
  await using load = new BenchProcess<Load>('processes/load');
  await using bareServer = new BenchProcess<EchoServer>('processes/bare-server');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', compiled('templates/echo/bot'), String(calls));
  const bare: Round[] = [];
  const ours: Round[] = [];
  const bareUrls = Array<string>(calls).fill(await bareServer.ask('url'));
  const runnerUrl = await runner.ask('url');
  for (let round = 0; round < ROUNDS; round += 1) {
    await load.ask('connect', bareUrls);
    bare.push(await echoRound(load, bareServer.pid, calls));
    await load.ask('dial', runnerUrl, calls);
    ours.push(await echoRound(load, runner.pid, calls));
  }

  const cpu = { bare: middle(bare), ours: middle(ours) };
  const ratio = ratioOf(ours, bare);
  const delivered = { bare: deliveredPercent(bare), ours: deliveredPercent(ours) };
  const p99 = delayOf(ours, 'p99');
  const target = TARGETS[calls];
  yield* [
    {
      name: `echo, ${calls} calls: CPU per call and second, runner included`,
      bare: ms(cpu.bare),
      ours: ms(cpu.ours),
      ratio: ratio.toFixed(2),
      ...(target && atMost(target, ratio, '')),
    },
    {
      name: `echo, ${calls} calls: audio delivered`,
      bare: `${delivered.bare.toFixed(2)} %`,
      ours: `${delivered.ours.toFixed(2)} %`,
      target: '>= 99.5 %',
      isHeld: delivered.ours >= 99.5,
    },
    { name: `echo, ${calls} calls: delay p50`, bare: ms(delayOf(bare, 'p50')), ours: ms(delayOf(ours, 'p50')) },
    {
      name: `echo, ${calls} calls: delay p99`,
      bare: ms(delayOf(bare, 'p99')),
      ours: ms(p99),
      ...atMost(calls <= 200 ? 40 : 60, p99, ' ms'),
    },
  ];
}

/** The echo template behind the real runner, in processes of its own. */
export async function freshEchoRound(
  calls: number,
  { rule = 'never', account = plivoAccount }: { rule?: RecordingRule; account?: BenchAccount },
): Promise<Round> {
  const argument = JSON.stringify(account);
  await using load = new BenchProcess<Load>('processes/load', argument);
  const echo = compiled('templates/echo/bot');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', echo, String(calls), rule, argument);
  await load.ask('dial', await runner.ask('url'), calls);
  return await echoRound(load, runner.pid, calls); // before the processes are ended
}

/** The calls of `load` are there: warms up, measures, and has them hang up. @param pid what processor time is measured of, with its children */
async function echoRound(load: BenchProcess<Load>, pid: number, calls: number): Promise<Round> {
  await delay(WARM_UP_MS);
  const before = { cpuMs: cpuMsOf(pid), atMs: performance.now() };
  const result = await load.ask('measure', WINDOW_MS);
  const seconds = (performance.now() - before.atMs) / 1_000;
  const cpuMs = (cpuMsOf(pid) - before.cpuMs) / seconds / calls;
  await load.ask('hangUp');
  return { ...result, cpuMs };
}

/** Of processor time. */
export const middle = (rounds: readonly Round[]): number => median(rounds.map(({ cpuMs }) => cpuMs));

/** Of processor time, round by round. */
export const ratioOf = (ours: readonly Round[], bare: readonly Round[]): number =>
  median(ours.map(({ cpuMs }, round) => cpuMs / (bare[round]?.cpuMs ?? Number.NaN)));

export const delayOf = (rounds: readonly Round[], share: 'p50' | 'p99'): number =>
  median(rounds.map(({ echoDelay }) => echoDelay[share]));

/** The worst round counts. */
export function deliveredPercent(rounds: readonly Round[]): number {
  return Math.min(...rounds.map(({ echoedFrames, sentFrames }) => (100 * echoedFrames) / sentFrames));
}
