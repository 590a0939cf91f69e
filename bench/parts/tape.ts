import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Disk } from '../../src/call-folder/disk-thread.js';
import { atMost, type Figure } from '../figure.js';
import { dist } from '../processes/dist.js';

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const SECONDS = 20;
/** Of the processor, for both sides of 20 ms, in microseconds. */
const MAX_US = 4;

/** Takes everything and writes nothing. */
const NO_DISK: Disk = { run: async () => {}, flush: async () => {} };

/** What recording costs in a process with many calls, as fast as it goes: the callers are always heard, their bots half of the time. */
export async function* tape(...counts: number[]): AsyncGenerator<Figure> {
  const { DiskThread } =
    await dist<typeof import('../../src/call-folder/disk-thread.js')>('call-folder/disk-thread.js');
  for (const calls of counts.length > 0 ? counts : [400]) {
    await costOf(Math.min(calls, 50), NO_DISK); // compiled by now
    const copied = await costOf(calls, NO_DISK);
    const written = await costOf(calls, new DiskThread());
    const us = (value: number) => `${value.toFixed(2)} us`;
    yield {
      name: `recording ${calls} calls: CPU per 20 ms of both sides, beside copying`,
      bare: us(copied),
      ours: us(written),
      ...atMost(MAX_US, written, ' us'),
    };
  }
}

/** Microseconds of the processor for both sides of 20 ms of a call, the threads that write among it. */
async function costOf(calls: number, disk: Disk): Promise<number> {
  const { WavRecorder } =
    await dist<typeof import('../../src/call-folder/wav-recorder.js')>('call-folder/wav-recorder.js');
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-bench-'));
  let nowMs = 0;
  const recorders = Array.from(
    { length: calls },
    (_, n) =>
      new WavRecorder({
        path: join(folder, String(n), 'audio.wav'),
        startedAt: Date.now(),
        disk,
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
    for (const recorder of recorders) {
      recorder.received(frames[tick % 8] as Int16Array, 8_000);
      if (tick % 100 < 50) recorder.sent(frames[(tick + 3) % 8] as Int16Array, 8_000);
    }
    // The disk has as much time as it needs: a real second goes by in the place of twenty.
    if (tick % 10 === 9) await disk.flush();
    else await turn();
  }
  await Promise.all(recorders.map((recorder) => recorder.close()));
  const { user, system } = process.cpuUsage(before);
  rmSync(folder, { recursive: true, force: true });
  return (user + system) / (calls * ticks);
}
