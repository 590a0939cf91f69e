import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from './is-alive.js';

/** One process among all that ever had its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own words; undefined where the system does not tell (it does on Linux). */
  readonly startTime?: string | undefined;
  readonly host: string;
}

/** One that runs on this machine now. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, startTime: lookUp(pid)?.startTime, host: hostname() };
}

export const thisProcess = (): ProcessIdentity => identityOf(process.pid);

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity) =>
  one.pid === other.pid && one.startTime === other.startTime && one.host === other.host;

/**
 * Whether a process has ended.
 * @param since when it was alive, in milliseconds since the epoch
 * @returns undefined for one on another machine, or in another container, which cannot be seen from here
 */
export function isGone({ pid, startTime, host }: ProcessIdentity, since: number): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (!isAlive(pid)) return true;
  const found = lookUp(pid);
  if (found?.isZombie) return true;
  if (found && startTime !== undefined) return found.startTime !== startTime;
  // An earlier process may have had our number.
  return pid === process.pid && since < performance.timeOrigin;
}

/** @see proc(5): the state is the first, the start time in ticks since boot the twentieth after the command's name */
function lookUp(pid: number): { readonly startTime: string; readonly isZombie: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return { startTime: `${boot}/${fields[19]}`, isZombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}
