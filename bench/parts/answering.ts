import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { Load } from '../processes/load.js';
import type { BenchRunner } from '../processes/runner.js';
import { percentile } from '../statistics.js';

const WEBHOOKS = 1_000;
const WEBHOOKS_AT_ONCE = 4;
const CALLS = 40;

/** The real runner: signed webhooks to documents, and streams handed over to warm processes of a bot that speaks at once. */
export async function* answering(): AsyncGenerator<Figure> {
  await using load = new BenchProcess<Load>('processes/load');
  await using runner = new BenchProcess<BenchRunner>('processes/runner', compiled('bench/bots/talker'));
  const url = await runner.ask('url');
  const webhooks = await load.ask('webhooks', url, WEBHOOKS, WEBHOOKS_AT_ONCE);
  const firstAudio = await load.ask('firstAudio', url, CALLS);
  const p99 = percentile(webhooks, 0.99);
  const p95 = percentile(firstAudio, 0.95);
  yield* [
    { name: `runner: webhook to XML p99, ${WEBHOOKS_AT_ONCE} at once`, ours: ms(p99), ...atMost(20, p99, ' ms') },
    { name: 'runner: stream request to first audio p50', ours: ms(percentile(firstAudio, 0.5)) },
    { name: 'runner: stream request to first audio p95', ours: ms(p95), ...atMost(100, p95, ' ms') },
  ];
}
