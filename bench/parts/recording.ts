import type { RecordingRule } from '../../src/runner/calls/life/call-folders.js';
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
/** Each with new processes: how fast one is differs from one to the next by more than what is measured. */
const ROUNDS = 7;

/** The echo template behind the real runner, all calls in one process of bots: with a folder of each call and without, in turns. */
export async function* recording(...counts: number[]): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo with folders: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  for (const calls of counts.length > 0 ? counts : [200]) yield* recordingOf(calls);
}

async function* recordingOf(calls: number): AsyncGenerator<Figure> {
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await roundOf(calls, 'never'));
    ours.push(await roundOf(calls, 'always'));
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

async function roundOf(calls: number, rule: RecordingRule): Promise<Round> {
  await using load = new BenchProcess<Load>('processes/load');
  const echo = compiled('templates/echo/bot');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', echo, String(calls), rule);
  await load.ask('dial', await runner.ask('url'), calls);
  return await echoRound(load, runner.pid, calls);
}
