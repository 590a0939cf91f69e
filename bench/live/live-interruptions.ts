import { BenchProcess } from '../bench-process.js';
import { atMost, type Figure } from '../figure.js';
import { percentile } from '../statistics.js';
import type { LiveCalls } from './calls.js';

export const WIRES = ['plivo', 'twilio', 'telnyx', 'rooms'] as const;
/** Of each call, and where more than so many are wanted. */
const [FEW, MANY, MANY_FROM] = [4, 10, 200] as const;
/** How much of an answer the session may remember otherwise than the recording has it, in milliseconds. */
export const TOLERANCE_MS = 20;
const SILENT_MS = 250;

/**
 * Calls of a bot with a live model at the real runner, of which every answer is interrupted at a random moment: how soon the caller hears
 * no more of the bot, and what the session remembers of the answer beside the recording in the folder of the call.
 */
export async function* liveInterruptions(interruptions = 80): AsyncGenerator<Figure> {
  const times = interruptions < MANY_FROM ? FEW : MANY;
  const callers = Math.ceil(interruptions / WIRES.length / times);
  await using calls = new BenchProcess<LiveCalls>('live/calls');
  for (const [index, wire] of WIRES.entries()) {
    const { silences, cuts } = await calls.ask('interruptedCalls', wire, {
      calls: callers,
      times,
      seed: 1 + index * callers,
    });
    const differences = cuts.map(({ rememberedMs, recordedMs }) => rememberedMs - recordedMs);
    const beyond = differences.filter((ms) => !(Math.abs(ms) <= TOLERANCE_MS)); // one that is not known counts
    const known = differences.filter(Number.isFinite).map(Math.abs);
    const spread = (values: readonly number[]) =>
      [0.5, 0.95, 1].map((share) => percentile(values, share).toFixed(0)).join(' / ');
    yield {
      name: `${wire}: caller's first sound to silent bot p50 / p95 / max`,
      ours: `${spread(silences)} ms`,
      ...atMost(SILENT_MS, percentile(silences, 0.95), ' ms p95'),
    };
    yield { name: `${wire}: session remembers beside recording p50 / p95 / max`, ours: `${spread(known)} ms` };
    yield {
      name: `${wire}: interruptions that differ by more than ${TOLERANCE_MS} ms`,
      ours: `${beyond.length} of ${cuts.length}`,
      ...atMost(0, beyond.length, ''),
    };
  }
}
