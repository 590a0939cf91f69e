import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { EchoServer } from '../processes/bare-server.js';
import type { Load } from '../processes/load.js';
import { percentile } from '../statistics.js';

const CALLS = 50;
const WARM_UP_MS = 3_000;
const WINDOW_MS = 8_000;

/** Bots that speak in bursts, 50 calls in one process: how evenly the audio arrives, and how soon a key silences it. */
export async function* pacing(): AsyncGenerator<Figure> {
  await using load = new BenchProcess<Load>('processes/load');
  await using server = new BenchProcess<EchoServer>('processes/bot-server', compiled('bench/bots/talker'));
  await load.ask('connect', Array<string>(CALLS).fill(await server.ask('url')));
  await delay(WARM_UP_MS);
  const { gap } = await load.ask('measure', WINDOW_MS);
  const clears = await load.ask('interrupt');
  await load.ask('hangUp');
  const clear = percentile(clears, 0.99);
  yield* [
    { name: `speech, ${CALLS} calls: gap between frames p50`, ours: ms(gap.p50) },
    { name: `speech, ${CALLS} calls: gap between frames p99`, ours: ms(gap.p99), ...atMost(26, gap.p99, ' ms') },
    { name: `speech, ${CALLS} calls: key to clear p99`, ours: ms(clear), ...atMost(20, clear, ' ms') },
  ];
}
