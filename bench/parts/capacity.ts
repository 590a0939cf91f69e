import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled, root } from '../compile.js';
import type { Figure } from '../figure.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { median } from '../statistics.js';

/** One process of bots serves all. */
const MOST = 1_000;
const FIRST = 50;
const SETTLE_MS = 3_000;
const WINDOW_MS = 8_000;
const WITHIN = 0.1;

/**
 * The largest number of calls to a bot that speaks all the time for which the limits of `voicebot load --find` hold: found with the
 * bench's own callers, and by `voicebot load --find`, in turns.
 */
export async function* capacity(rounds = 1): AsyncGenerator<Figure> {
  const bench: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bench.push(await foundByBench());
    ours.push(await foundByLoad());
    console.error(`round ${round + 1}: bench ${bench.at(-1)}, voicebot load ${ours.at(-1)}`);
  }
  const ratio = median(ours) / median(bench);
  yield {
    name: 'calls that meet the limits: the bench, voicebot load --find',
    bare: String(median(bench)),
    ours: String(median(ours)),
    ratio: ratio.toFixed(2),
    target: '0.90 to 1.10',
    isHeld: Math.abs(ratio - 1) <= WITHIN,
  };
}

const talker = () => compiled('bench/bots/talker');

async function foundByBench(): Promise<number> {
  const { findLargest } = await built<typeof import('../../src/lab/load/find-largest.js')>('find-largest');
  const { DEFAULT_LIMITS: limits } = await built<typeof import('../../src/lab/load/load-limits.js')>('load-limits');
  const { calls } = await findLargest({ first: FIRST, most: MOST }, async (calls) => {
    await using load = new BenchProcess<Load>('processes/load');
    await using runner = new BenchProcess<BenchRunner>('processes/runner', talker(), String(MOST));
    const url = await runner.ask('url');
    try {
      await load.ask('dial', url, calls);
      await delay(SETTLE_MS);
      const { firstAudio, missing } = await load.ask('measure', WINDOW_MS);
      const isFine =
        firstAudio.p95 <= limits.firstWordMs &&
        missing.longest.p95 <= limits.gapMs &&
        missing.percent <= limits.missingPercent;
      console.error(
        `bench: ${calls} calls: first ${firstAudio.p95.toFixed(0)} ms, longest gap ${missing.longest.p95.toFixed(0)} ms, ` +
          `${missing.percent.toFixed(2)} % missing${isFine ? '' : ' – too many'}`,
      );
      return isFine ? 'fine' : 'too_many';
    } catch (error) {
      console.error(`bench: ${calls} calls: ${(error as Error).message.split('\n')[0]}`);
      return 'too_many'; // calls have ended
    }
  });
  return calls;
}

async function foundByLoad(): Promise<number> {
  const args = ['load', talker(), '--find', '--calls', String(MOST), '--calls-per-process', String(MOST), '--json'];
  const child = spawn(process.execPath, [join(root, 'bin/voicebot.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const events = (await text(child.stdout))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  await exited;
  for (const { event, kind, calls, met, figures, callersCpu } of events) {
    if (event !== 'load_step' || kind !== 'steady') continue;
    const { firstWordMs, gapMs, missingPercent } = figures;
    console.error(
      `voicebot load: ${calls} calls: first ${firstWordMs?.p95.toFixed(0)} ms, longest gap ${gapMs?.p95.toFixed(0)} ms, ` +
        `${missingPercent?.toFixed(2)} % missing, callers ${callersCpu?.p50.toFixed(0)} %${met ? '' : ' – too many'}`,
    );
  }
  const end = events.find(({ event }) => event === 'load_ended');
  if (end?.found === undefined) throw new Error(`voicebot load found nothing: ${JSON.stringify(events.at(-1))}`);
  return end.found;
}

const built = <Module>(name: string): Promise<Module> => import(join(root, 'dist/lab/load', `${name}.js`));
