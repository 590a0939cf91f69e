import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { showsProcesses } from '../process-tree.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { median } from '../statistics.js';
import { echoRound, type Round } from './carrier-echo.js';

const CARRIERS = ['plivo', 'twilio', 'telnyx'] as const;
/** Every carrier's figures are beside this one's. */
const YARDSTICK = 'plivo';
const CALLS = 100;
const ROUNDS = 5;
/** What an echo may cost in another carrier's dialect. */
const MOST = 1.1;

/** The echo template behind the real runner in the dialect of every carrier, in turns. */
export async function* carrierDialects(calls = CALLS): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo by carrier: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  const rounds: Record<(typeof CARRIERS)[number], Round[]> = { plivo: [], twilio: [], telnyx: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another one: what a machine does at its beginning falls on all of them.
    for (let turn = 0; turn < CARRIERS.length; turn += 1) {
      const carrier = CARRIERS[(round + turn) % CARRIERS.length] ?? YARDSTICK;
      rounds[carrier].push(await roundOf(carrier, calls));
    }
  }
  const middle = (carrier: (typeof CARRIERS)[number], of: (round: Round) => number) => median(rounds[carrier].map(of));
  for (const carrier of CARRIERS) {
    const ratio = median(
      rounds[carrier].map(({ cpuMs }, round) => cpuMs / (rounds[YARDSTICK][round]?.cpuMs ?? Number.NaN)),
    );
    const delivered = Math.min(...rounds[carrier].map(({ echoedFrames, sentFrames }) => echoedFrames / sentFrames));
    const isYardstick = carrier === YARDSTICK;
    yield {
      name: `echo, ${calls} calls of ${carrier}: CPU per call and second, beside ${YARDSTICK}`,
      bare: ms(middle(YARDSTICK, ({ cpuMs }) => cpuMs)),
      ours: ms(middle(carrier, ({ cpuMs }) => cpuMs)),
      ratio: ratio.toFixed(2),
      ...(!isYardstick && atMost(MOST, ratio, '')),
    };
    yield {
      name: `echo, ${calls} calls of ${carrier}: delay p99; audio delivered, worst round`,
      bare: ms(middle(YARDSTICK, ({ echoDelay }) => echoDelay.p99)),
      ours: `${ms(middle(carrier, ({ echoDelay }) => echoDelay.p99))}; ${(100 * delivered).toFixed(2)} %`,
    };
  }
}

/** In processes of its own, which know no other carrier's messages. */
async function roundOf(carrier: string, calls: number): Promise<Round> {
  await using load = new BenchProcess<Load>('processes/load', carrier);
  await using runner = new BenchProcess<BenchRunner>(
    'processes/runner',
    compiled('templates/echo/bot'),
    String(calls),
    'never',
    carrier,
  );
  await load.ask('dial', await runner.ask('url'), calls);
  return await echoRound(load, runner.pid, calls); // before the processes are ended
}
