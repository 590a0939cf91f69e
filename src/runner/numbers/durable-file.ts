import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file for this user alone that is there whole, and on the disk, or not at all.
 * @returns false when there is one already, which stays as it is
 */
export function createFile(path: string, text: string): boolean {
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
    syncFolder(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** As {@link createFile}; a reader sees what was there before, or this. */
export function replaceFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path);
  syncFolder(path);
}

/** What a process that was killed may have left of a file that it was writing. */
export const isDraftOf = (name: string, file: string) =>
  name.startsWith(`${file}.`) && /^\.\d+\.draft$/.test(name.slice(file.length));

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text); // the whole of it, or an error: a disk that fills up takes a part
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}

/** The name of a new file is on the disk only when its folder is. Some systems cannot be asked for that. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
