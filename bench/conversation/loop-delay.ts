import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();

/** By how much a timer of this process was late since the last time, in milliseconds. */
export function takeLoopDelay(): { p99: number; max: number } {
  const lateBy = (ns: number) => Math.max(0, ns / 1e6 - RESOLUTION_MS);
  const delay = { p99: lateBy(histogram.percentile(99)), max: lateBy(histogram.max) };
  histogram.reset();
  return delay;
}
