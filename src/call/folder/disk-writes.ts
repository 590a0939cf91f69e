import { mkdirSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** All of it. @param position in the file; null: where it ends, for a file opened to append */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** What was there stays when it cannot be replaced. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  makeFolder(dirname(path));
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a folder for this user alone, and those above it, unless it is there. */
export function makeFolder(path: string): void {
  // To make all at once says of a read-only disk that there is no such folder.
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    makeFolder(path);
  }
}
