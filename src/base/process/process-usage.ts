import { readdirSync, readFileSync } from 'node:fs';

/** In which the kernel counts processor time, in milliseconds. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** What processes use. */
export interface ProcessUsage {
  /** User and system time so far, in milliseconds; of those that have ended too. */
  readonly cpuMs: number;
  /** What is in memory for them alone: resident pages less those that they share, in bytes. */
  readonly memoryBytes: number;
  /** How many they are. */
  readonly processes: number;
}

const NOTHING: ProcessUsage = { cpuMs: 0, memoryBytes: 0, processes: 0 };

/**
 * What a process and all that it has started use now.
 * @param without such a process, which is left out with all that it has started
 * @returns undefined where the system does not show it (anything but Linux), or the process is gone
 */
export function processUsage(pid: number, without?: number): ProcessUsage | undefined {
  const own = usageOf(pid);
  return (
    own && childrenOf(pid).reduce((sum, child) => (child === without ? sum : added(sum, processUsage(child))), own)
  );
}

function added(sum: ProcessUsage, more: ProcessUsage = NOTHING): ProcessUsage {
  return {
    cpuMs: sum.cpuMs + more.cpuMs,
    memoryBytes: sum.memoryBytes + more.memoryBytes,
    processes: sum.processes + more.processes,
  };
}

function usageOf(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const times = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16).map(Number);
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return {
      cpuMs: times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS,
      memoryBytes: (resident - shared) * PAGE_BYTES,
      processes: 1,
    };
  } catch {
    return undefined;
  }
}

/** Whichever of its threads has started them. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
