import { BenchProcess } from '../bench-process.js';
import { type Figure, ms } from '../figure.js';
import { median, percentile } from '../statistics.js';
import type { LiveCalls } from './calls.js';
import { BOTS } from './far-ends.js';

/** That a live model takes, or the model and the voice of a cascade in sum, in milliseconds. */
const DELAY_MS = 600;
const CALLS = 8;

/**
 * From the end of the caller's voice to the bot's first sound, at the real runner on the sandbox's carrier: live models of fixed delay
 * beside a cascade whose delays sum up to the same. What it is compared with: a bare client of OpenAI's model, which decides itself when it
 * answers.
 */
export async function* voiceToVoice(turns = 24): AsyncGenerator<Figure> {
  await using calls = new BenchProcess<LiveCalls>('live/calls');
  const asked = { calls: CALLS, times: Math.ceil(turns / CALLS), delayMs: DELAY_MS };
  const spread = (waits: readonly number[]) => [0.5, 0.95].map((share) => ms(percentile(waits, share))).join(' / ');
  const bare = await calls.ask('bareTurns', { ...asked, times: turns });
  for (const kind of BOTS) {
    const waits = await calls.ask('turns', kind, 'plivo', asked);
    yield {
      name: `${kind}, of ${DELAY_MS} ms: end of the caller's voice to the first sound p50 / p95`,
      bare: spread(bare),
      ours: spread(waits),
      ratio: (median(waits) / median(bare)).toFixed(2),
    };
  }
}
