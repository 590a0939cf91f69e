import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Whether the system shows what other processes use. */
export const showsProcesses = existsSync('/proc/self/smaps_rollup');

/** Of a tick in which the kernel counts processor time, in milliseconds. */
const TICK_MS = 10;

/** Whichever of its threads has started them. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** User and system time that a process and its children have used, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime = 0, stime = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return childrenOf(pid).reduce((sum, child) => sum + cpuMsOf(child), (utime + stime) * TICK_MS);
}

/** How long a process's main thread was ready to run while others had the processors, in milliseconds. */
export function processorWaitMsOf(pid: number): number {
  const [, waitNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitNs) / 1e6;
}
