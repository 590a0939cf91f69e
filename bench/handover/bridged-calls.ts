import { setTimeout as delay } from 'node:timers/promises';
import { processUsage } from '../../src/base/process/process-usage.js';
import { BenchProcess } from '../bench-process.js';
import type { PassingTimes } from '../bots/timed-bridger.js';
import { compiled } from '../compile.js';
import { type Figure, ms } from '../figure.js';
import { childrenOf } from '../process-tree.js';
import type { EchoServer } from '../processes/bare-server.js';
import { median } from '../statistics.js';
import type { Delays, FarEnds, FarEndsResult } from './far-ends.js';
import type { HandoverRunner } from './handover-runner.js';

const ROUNDS = 3;
/** Longer than what waits for the listener at the beginning of a bridge does, and until compiled code is there. */
const WARM_UP_MS = 5_000;
const WINDOW_MS = 5_000;
/** What a bridge may add to the carrier's own delay, in milliseconds: a frame and 5 ms. */
const MOST_MS = 25;
/** Fewer calls take too little for the kernel's clock. */
const MOST_EXACT_CALLS = 10;

interface Round extends FarEndsResult {
  /** Of the processes that are measured, per second, in milliseconds. */
  readonly cpuMs: number;
}

/** As many calls bridged, beside a bare server that does the same, and beside the echo template, in turns. */
export async function* bridgedCalls(calls: number): AsyncGenerator<Figure> {
  await using farEnds = new BenchProcess<FarEnds>('handover/far-ends');
  await using bareServer = new BenchProcess<EchoServer>('handover/bare-bridge');
  const runner = async (bot: string, places: number) =>
    new BenchProcess<HandoverRunner>('handover/handover-runner', bot, String(places), await farEnds.ask('apiUrl'));
  const perProcess = Math.max(2, calls); // a process for a single call would be another one each time
  await using bridging = await runner(compiled('bench/bots/bridger'), perProcess);
  await using timed = await runner(compiled('bench/bots/timed-bridger'), perProcess);
  await using echoing = await runner(compiled('templates/echo/bot'), 2 * calls);
  const url = {
    bare: await bareServer.ask('url'),
    bridging: await bridging.ask('url'),
    echoing: await echoing.ask('url'),
  };
  const rounds: Record<'bare' | 'ours' | 'echoes' | 'halfEchoes', Round[]> = {
    bare: [],
    ours: [],
    echoes: [],
    halfEchoes: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await farEnds.ask('connect', url.bare, calls);
    rounds.bare.push(await measured(farEnds, () => [bareServer.pid]));
    await farEnds.ask('dial', url.echoing, 2 * calls);
    rounds.echoes.push(await measured(farEnds, () => childrenOf(echoing.pid)));
    await farEnds.ask('dialBridged', url.bridging, calls);
    rounds.ours.push(await measured(farEnds, () => childrenOf(bridging.pid)));
    if (calls < MOST_EXACT_CALLS) continue;
    await farEnds.ask('dial', url.echoing, calls);
    rounds.halfEchoes.push(await measured(farEnds, () => childrenOf(echoing.pid)));
  }
  await farEnds.ask('dialBridged', await timed.ask('url'), calls);
  await delay(WARM_UP_MS);
  await timed.ask('told');
  await measured(farEnds, () => [], 0);
  const passing = (await timed.ask('told')) as PassingTimes[];

  yield* figures(calls, rounds, passing);
}

function* figures(
  calls: number,
  { bare, ours, echoes, halfEchoes }: Readonly<Record<'bare' | 'ours' | 'echoes' | 'halfEchoes', Round[]>>,
  passing: readonly PassingTimes[],
): Generator<Figure> {
  const name = (what: string) => `bridge, ${calls} ${calls === 1 ? 'call' : 'calls'}: ${what}`;
  for (const [kind, what] of [
    ['delay', 'until it has come'],
    ['firstHeardDelay', 'until it is heard, first second'],
    ['heardDelay', 'until it is heard'],
  ] as const) {
    const [carriers, bridged] = [middleOf(bare, kind), middleOf(ours, kind)];
    const beyond = { p50: bridged.p50 - carriers.p50, p95: bridged.p95 - carriers.p95 };
    yield { name: name(`delay ${what}, p50 and p95, beside a bare bridge`), bare: both(carriers), ours: both(bridged) };
    yield {
      name: name('… beyond the bare bridge'),
      ours: both(beyond),
      target: `<= ${MOST_MS} ms`,
      isHeld: beyond.p50 <= MOST_MS && beyond.p95 <= MOST_MS,
    };
    if (kind === 'firstHeardDelay') continue;
    yield { name: name('… beside the echo template'), bare: both(middleOf(echoes, kind)), ours: both(bridged) };
  }
  const messages = passing.reduce((sum, one) => sum + one.messages, 0);
  const elsewhere = passing.reduce((sum, one) => sum + one.elsewhere, 0);
  yield {
    name: name('in the process of the bot, p50 and p95'),
    ours: both({ p50: median(passing.map(({ p50 }) => p50)), p95: median(passing.map(({ p95 }) => p95)) }),
  };
  yield {
    name: name('messages sent in the turn in which one came'),
    ours: percent(messages / (messages + elsewhere)),
  };
  const { altered, lost } = changesOf(ours);
  yield {
    name: name('frames that come bit by bit as they were sent; others, left out'),
    bare: percent(shareOf(bare)),
    ours: `${percent(shareOf(ours))}; ${altered}, ${lost}`,
    target: 'at a gap',
    isHeld: altered <= lost,
  };
  yield { name: name('frames that come, worst round'), bare: percent(cameOf(bare)), ours: percent(cameOf(ours)) };
  if (calls < MOST_EXACT_CALLS) return;
  const cpu = (others: readonly Round[], factor: number, what: string): Figure => ({
    name: name(`CPU of the bots per call and second, beside ${what}`),
    bare: ms((factor * cpuOf(others)) / calls),
    ours: ms(cpuOf(ours) / calls),
    ratio: median(ours.map(({ cpuMs }, at) => cpuMs / (factor * (others[at]?.cpuMs ?? Number.NaN)))).toFixed(2),
  });
  yield cpu(bare, 1, 'a bare bridge');
  yield cpu(echoes, 1, 'two echo calls');
  yield cpu(halfEchoes, 1, 'one echo call');
}

/** The calls are there: warms up, measures, and has them hang up. @param pids whose processor time is measured */
async function measured(farEnds: BenchProcess<FarEnds>, pids: () => number[], warmUpMs = WARM_UP_MS): Promise<Round> {
  await delay(warmUpMs);
  const before = new Map(pids().map((pid) => [pid, processUsage(pid)?.cpuMs ?? 0]));
  const since = performance.now();
  const result = await farEnds.ask('measure', WINDOW_MS);
  const seconds = (performance.now() - since) / 1_000;
  const used = [...before].map(([pid, cpuMs]) => (processUsage(pid)?.cpuMs ?? cpuMs) - cpuMs);
  await farEnds.ask('hangUp');
  return { ...result, cpuMs: used.reduce((sum, one) => sum + one, 0) / seconds };
}

const cpuOf = (rounds: readonly Round[]): number => median(rounds.map(({ cpuMs }) => cpuMs));

const middleOf = (rounds: readonly Round[], kind: 'delay' | 'firstHeardDelay' | 'heardDelay'): Delays => ({
  p50: median(rounds.map((round) => round[kind].p50)),
  p95: median(rounds.map((round) => round[kind].p95)),
});

/** Of all that have come. */
function shareOf(rounds: readonly Round[]): number {
  const untouched = rounds.reduce((sum, round) => sum + round.untouched, 0);
  return untouched / rounds.reduce((sum, round) => sum + round.altered, untouched);
}

/** Where frames are left out, the next one begins with the end of the last: it is altered. */
const changesOf = (rounds: readonly Round[]) => ({
  altered: rounds.reduce((sum, round) => sum + round.altered, 0),
  lost: rounds.reduce((sum, round) => sum + round.sentFrames - round.cameFrames, 0),
});

const cameOf = (rounds: readonly Round[]): number =>
  Math.min(...rounds.map(({ cameFrames, sentFrames }) => cameFrames / sentFrames));

const both = ({ p50, p95 }: Delays): string => `${ms(p50)}, ${ms(p95)}`;
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
