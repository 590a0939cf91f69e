import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether this process has its terminal's keyboard. One that a shell runs in the background (`&`) has not: setting the
 * terminal up or reading from it would stop the process.
 * @see POSIX, General Terminal Interface 11.1.4 (SIGTTIN, SIGTTOU); proc(5), /proc/pid/stat fields 5 and 8
 */
export function isInForeground(): boolean {
  try {
    const [own, foreground] = process.platform === 'linux' ? fromProc() : fromPs();
    return own !== undefined && own === foreground;
  } catch {
    return process.platform === 'win32'; // which has no such thing
  }
}

function fromProc(): (string | undefined)[] {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [group, foreground];
}

function fromPs(): (string | undefined)[] {
  const columns = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return columns.trim().split(/\s+/);
}
