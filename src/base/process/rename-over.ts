import { renameSync } from 'node:fs';

/** Windows says so while another process reads the file, or looks for viruses in it. */
const IN_USE = ['EACCES', 'EBUSY', 'EPERM'];
const TRIES = 20;
const PAUSE_MS = 10;

/** How files get another name on a system. */
export interface Renaming {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => void;
  readonly pause: (ms: number) => void;
}

const HERE: Renaming = {
  platform: process.platform,
  rename: renameSync,
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** Gives a file the name of another, which it replaces. Where Windows has that in use it tries again, for 200 ms at most. */
export function renameOver(from: string, to: string, { platform, rename, pause }: Renaming = HERE): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (platform !== 'win32' || tries === TRIES || !IN_USE.includes(code)) throw error;
      pause(PAUSE_MS);
    }
  }
}
