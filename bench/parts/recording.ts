import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { showsProcesses } from '../process-tree.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { median } from '../statistics.js';
import { echoRound, type Round } from './carrier-echo.js';

/** What processor time may be with folders, beside that without. */
const MAX_RATIO = 1.1;
const ROUNDS = 5;

/** The echo template behind the real runner, all calls in one process of bots: with a folder of each call and without, in turns. */
export async function* recording(...counts: number[]): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo with folders: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  for (const calls of counts.length > 0 ? counts : [200]) yield* recordingOf(calls);
}

async function* recordingOf(calls: number): AsyncGenerator<Figure> {
  const echo = [compiled('templates/echo/bot'), String(calls)] as const;
  await using load = new BenchProcess<Load>('processes/load');
  await using without = new BenchProcess<BenchRunner>('processes/runner', ...echo);
  await using recorded = new BenchProcess<BenchRunner>('processes/runner', ...echo, 'always');
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [runner, rounds] of [[without, bare] as const, [recorded, ours] as const]) {
      await load.ask('dial', await runner.ask('url'), calls);
      rounds.push(await echoRound(load, runner.pid, calls));
    }
  }
  const cpu = (rounds: Round[]) => median(rounds.map(({ cpuMs }) => cpuMs));
  const p99 = (rounds: Round[]) => median(rounds.map(({ echoDelay }) => echoDelay.p99));
  const ratio = median(ours.map(({ cpuMs }, round) => cpuMs / (bare[round]?.cpuMs ?? Number.NaN)));
  yield* [
    {
      name: `echo, ${calls} calls with folders: CPU per call and second, beside without`,
      bare: ms(cpu(bare)),
      ours: ms(cpu(ours)),
      ratio: ratio.toFixed(2),
      ...atMost(MAX_RATIO, ratio, ''),
    },
    { name: `echo, ${calls} calls with folders: delay p99`, bare: ms(p99(bare)), ours: ms(p99(ours)) },
  ];
}
