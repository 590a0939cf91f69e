import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What a link leads to may be anybody's, and opening a pipe waits for whoever writes to it. The second is missing on Windows. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of a call folder for reading; who gets it closes it.
 * @throws the system's error: ENOENT, ELOOP for a symbolic link (POSIX open, O_NOFOLLOW), EISDIR for what is no regular file
 */
export async function openFolderFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is no file`), { code: 'EISDIR' });
}

/** The text of a file of a call folder. @throws as {@link openFolderFile} */
export async function readFolderText(path: string): Promise<string> {
  const file = await openFolderFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
