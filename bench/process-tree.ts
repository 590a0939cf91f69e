import { existsSync, readFileSync } from 'node:fs';
import { processUsage } from '../src/base/process/process-usage.js';

export { childrenOf } from '../src/base/process/process-usage.js';

/** Whether the system shows what other processes use. */
export const showsProcesses = existsSync('/proc/self/smaps_rollup');

/** User and system time that a process and all that it has started have used, those that have ended too, in milliseconds. @throws for one that has ended */
export function cpuMsOf(pid: number): number {
  const usage = processUsage(pid);
  if (!usage) throw new Error(`process ${pid} has ended`);
  return usage.cpuMs;
}

/** How long a process's main thread was ready to run while others had the processors, in milliseconds. */
export function processorWaitMsOf(pid: number): number {
  const [, waitNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitNs) / 1e6;
}
