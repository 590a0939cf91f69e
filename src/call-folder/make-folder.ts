import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder for this user alone, and those above it, unless it is there.
 * @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  // To make all at once says of a read-only disk that there is no such folder.
  try {
    await make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return unlessThere(error as NodeJS.ErrnoException);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await make().catch(unlessThere);
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
