import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Disk } from './disk-thread.js';

/** The `version` of the JSON files of a call folder; it changes when a field changes its meaning or goes away. */
export const FOLDER_VERSION = 1;

/** A link may lead out of the folder, and to open a pipe waits for its writer. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of a call folder for reading; the caller of the function closes it.
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

/** What of a file can be read, and a sentence for each thing that cannot. */
export interface Readable<Content> {
  readonly content: Content;
  readonly missing: readonly string[];
}

/** Why a file has not been read, behind its name. */
export const whyUnread = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? 'is missing' : `cannot be read (${code ?? message})`;

/**
 * Replaces a JSON file of a call folder: a reader sees what was there before, or this.
 * @throws the system's error; what was there stays
 */
export async function replaceJson(disk: Disk, path: string, content: object): Promise<void> {
  const text = `${JSON.stringify({ version: FOLDER_VERSION, ...content }, undefined, 2)}\n`;
  await disk.run({ do: 'replace', path, text });
}
