import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { atMost, type Figure } from '../figure.js';
import { dist } from '../processes/dist.js';

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
/** Less than may wait for the thread. */
const SECONDS = 12;
/** Of the processor, for both sides of 20 ms, in microseconds. */
const MAX_US = 4;

/** What recording costs in a process with many calls, as fast as it goes: the callers are always heard, their bots half of the time. */
export async function* tape(...counts: number[]): AsyncGenerator<Figure> {
  for (const calls of counts.length > 0 ? counts : [400]) {
    await costOf(50); // compiled by now
    const cost = await costOf(calls);
    yield {
      name: `recording ${calls} calls: CPU per 20 ms of both sides`,
      ours: `${cost.toFixed(2)} us`,
      ...atMost(MAX_US, cost, ' us'),
    };
  }
}

/** Microseconds of the processor for both sides of 20 ms of a call, the threads that write among it. */
async function costOf(calls: number): Promise<number> {
  const { diskThread } =
    await dist<typeof import('../../src/call/folder/disk-thread.js')>('call/folder/disk-thread.js');
  const { FolderTape } =
    await dist<typeof import('../../src/call/folder/folder-tape.js')>('call/folder/folder-tape.js');
  const { sharedNow } = await dist<typeof import('../../src/call/folder/journal.js')>('call/folder/journal.js');
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-bench-'));
  const startedAt = Date.now();
  let nowMs = sharedNow();
  const tapes = Array.from(
    { length: calls },
    (_, n) =>
      new FolderTape({
        path: join(folder, String(n), 'audio.wav'),
        startedAt,
        delayMs: 0,
        disk: diskThread,
        now: () => nowMs,
        onStarted: () => {},
        onFailed: (error) => {
          throw error;
        },
      }),
  );
  const frames = Array.from({ length: 8 }, (_, n) => new Int16Array(FRAME_SAMPLES).fill(1_000 * (n + 1)));
  const ticks = (SECONDS * 1_000) / FRAME_MS;
  const before = process.cpuUsage();
  for (let tick = 0; tick < ticks; tick += 1) {
    nowMs += FRAME_MS;
    for (const recording of tapes) {
      recording.received(frames[tick % 8] as Int16Array, 8_000);
      if (tick % 100 < 50) recording.sent(frames[(tick + 3) % 8] as Int16Array, 8_000);
    }
    await turn();
  }
  await Promise.all(tapes.map((recording) => recording.close()));
  const { user, system } = process.cpuUsage(before);
  rmSync(folder, { recursive: true, force: true });
  return (user + system) / (calls * ticks);
}
