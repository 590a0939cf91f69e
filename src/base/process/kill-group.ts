import { type ChildProcess, spawn } from 'node:child_process';

/** What ends processes on a system. */
export interface ProcessEnds {
  readonly platform: NodeJS.Platform;
  /** @param pid negative for the group that this process leads */
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
  /** Ends a process of Windows with all that it has started. */
  readonly killTree: (pid: number) => void;
}

const HERE: ProcessEnds = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  killTree: (pid) => {
    // Detached, because it may be the last thing that this process does.
    const words = ['/pid', String(pid), '/t', '/f'];
    const program = spawn('taskkill', words, { detached: true, stdio: 'ignore', windowsHide: true });
    program.once('error', () => attempt(() => process.kill(pid, 'SIGKILL'))).unref();
  },
};

function attempt(kill: () => void): void {
  try {
    kill();
  } catch {
    // no process is left
  }
}

/**
 * Ends a process that was started with a group of its own, and all that it has started, at once. Windows has no groups: what a process has
 * started can be found there as long as it runs itself, and nothing is done for one that has ended.
 */
export function killGroup(
  { pid, exitCode, signalCode }: Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode'>,
  { platform, kill, killTree }: ProcessEnds = HERE,
): void {
  if (pid === undefined) return; // it could not be started
  if (platform === 'win32') {
    if (exitCode === null && signalCode === null) killTree(pid);
    return;
  }
  attempt(() => kill(-pid, 'SIGKILL'));
}
