import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 10;
/** The real clock, also while a test holds the timers of the runner. */
const later = setTimeout;

interface ProcessEntry {
  pid: number;
  parent: number;
  /** Process group; a bot and a sandbox lead one of their own. */
  group: number;
  command: string;
}

/** Every process of this machine that still runs; one that only waits to be collected by its parent does not. */
export function processes(): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Processes that this one has started and that match. */
export function childrenOf(parent: number, command = /./): number[] {
  return processes()
    .filter((entry) => entry.parent === parent && command.test(entry.command))
    .map(({ pid }) => pid);
}

/** Whether this process still runs. */
export function isAlive(pid: number): boolean {
  return processes().some((entry) => entry.pid === pid);
}

/** Whether any process is left in the group that `leader` led. */
export function isGroupAlive(leader: number): boolean {
  return processes().some(({ group }) => group === leader);
}

/** Resolves when nothing is left of these processes and of what they have started. */
export const allGone = (pids: readonly number[]): Promise<void> =>
  until(() => !pids.some((pid) => isAlive(pid) || isGroupAlive(pid)), 'all end');

/** Resolves as soon as `condition` holds. @throws Error after `limitMs` */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 10_000,
): Promise<void> {
  const lateAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > lateAt) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => later(resolve, LOOK_EVERY_MS));
  }
}

function fromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
      } catch {
        return []; // gone between two looks
      }
    });
}

function fromPs(): ProcessEntry[] {
  return execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,command='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, group, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      if (!pid || state?.startsWith('Z')) return [];
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }];
    });
}
