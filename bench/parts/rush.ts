import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { percentile } from '../statistics.js';

/** Callers within {@link OVER_MS}. */
const CALLERS = [20, 40];
const OVER_MS = 1_000;

/** The real runner with one bot process kept ready, called by many within a second. */
export async function* rush(callers?: number): AsyncGenerator<Figure> {
  for (const calls of callers === undefined ? CALLERS : [callers]) {
    await using load = new BenchProcess<Load>('processes/load');
    await using runner = new BenchProcess<BenchRunner>('processes/runner', compiled('bench/bots/talker'));
    const url = await runner.ask('url');
    const { firstAudio, refused, refusedWithinMs, unserved } = await load.ask('rush', url, calls, OVER_MS);
    const p95 = percentile(firstAudio, 0.95);
    const name = (figure: string) => `${calls} callers within a second: ${figure}`;
    yield* [
      { name: name('heard a bot'), ours: `${firstAudio.length}` },
      { name: name('first audio p50'), ours: ms(percentile(firstAudio, 0.5)) },
      { name: name('first audio p95'), ours: ms(p95), ...atMost(1_500, p95, ' ms') },
      { name: name('first audio, longest'), ours: ms(percentile(firstAudio, 1)) },
      { name: name('heard that it is busy'), ours: `${refused}, within ${ms(refusedWithinMs)}` },
      { name: name('were answered and heard no bot'), ours: `${unserved}`, ...atMost(0, unserved, '') },
    ];
  }
}
