import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

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
  const candidates = TELLS_CHILDREN ? childrenByProc(parent) : processes().filter((entry) => entry.parent === parent);
  return candidates.filter((entry) => command.test(entry.command)).map(({ pid }) => pid);
}

/** Notes which processes another one starts. */
export class ChildrenWatch {
  readonly #seen = new Set<number>();
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS);

  constructor(private readonly parent: number) {}

  /** Stops looking. @returns all that it has seen */
  end(): number[] {
    clearInterval(this.#timer);
    this.#look();
    return [...this.#seen];
  }

  #look(): void {
    for (const pid of childrenOf(this.parent)) this.#seen.add(pid);
  }
}

/** Whether this process still runs. */
export function isAlive(pid: number): boolean {
  return process.platform === 'linux' ? entryOf(pid) !== undefined : fromPs().some((entry) => entry.pid === pid);
}

/** Whether any process is left in the group that `leader` led. */
export function isGroupAlive(leader: number): boolean {
  return processes().some(({ group }) => group === leader);
}

/** Resolves when nothing is left of these processes and of what they have started. */
export const allGone = (pids: readonly number[]): Promise<void> =>
  // Each look at all processes takes a while, so it comes only once those that are known have ended.
  until(() => !pids.some(isAlive) && !processes().some(({ group }) => pids.includes(group)), 'all end');

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
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => entryOf(Number(name)) ?? []);
}

/** Linux only. @returns undefined when it does not run any more */
function entryOf(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return { pid, parent: Number(parent), group: Number(group), command };
  } catch {
    return undefined; // gone between two looks
  }
}

/** Whether Linux was built to tell the children of a process, which takes far less time than a look at all processes. */
const TELLS_CHILDREN = existsSync(childrenFile(process.pid));

function childrenByProc(parent: number): ProcessEntry[] {
  try {
    const pids = readFileSync(childrenFile(parent), 'utf8').trim().split(' ').filter(Boolean);
    return pids.flatMap((pid) => entryOf(Number(pid)) ?? []);
  } catch {
    return []; // the parent has ended
  }
}

function childrenFile(pid: number): string {
  return `/proc/${pid}/task/${pid}/children`;
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
