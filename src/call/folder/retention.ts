import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { localDay } from '../../base/process/local-day.js';
import { callFolderNames } from './folder-name.js';
import { isLive, readRecordFile } from './read-record.js';

/** How long folders of calls are kept. */
export interface Retention {
  /** Days before today; 0 means any number. */
  readonly days: number;
  /** Of all folders; 0 means any number. */
  readonly mebibytes: number;
}

interface StoredFolder {
  readonly path: string;
  readonly bytes: number;
  /** When a file of it was made or replaced last. */
  readonly changedMs: number;
  readonly isOld: boolean;
}

/**
 * Removes folders of calls that are over, the oldest first, until the rest is within the limits. Several processes may do so at
 * once. What cannot be removed stays until the next time; never rejects.
 * @param directory of the folders
 */
export async function removeOldFolders(directory: string, { days, mebibytes }: Retention): Promise<void> {
  const oldest = new Date();
  oldest.setDate(oldest.getDate() - days);
  const isOld = (name: string) => days > 0 && name < localDay(oldest);
  const folders: StoredFolder[] = [];
  for (const name of await callFolderNames(directory)) {
    const folder = await storedFolder(join(directory, name), isOld(name));
    if (folder) folders.push(folder);
  }
  let tooMuch = mebibytes > 0 ? folders.reduce((sum, { bytes }) => sum + bytes, 0) - mebibytes * 2 ** 20 : 0;
  for (const folder of folders.sort((a, b) => a.changedMs - b.changedMs)) {
    if (!folder.isOld && tooMuch <= 0) continue;
    const { content } = await readRecordFile(folder.path);
    if (await isLive(folder.path, content)) continue;
    await rm(folder.path, { recursive: true, force: true }).catch(() => {});
    tooMuch -= folder.bytes;
  }
}

/** Undefined for one that is gone by now. */
async function storedFolder(path: string, isOld: boolean): Promise<StoredFolder | undefined> {
  try {
    const { mtimeMs: changedMs } = await stat(path);
    const names = await readdir(path);
    let bytes = 0;
    for (const name of names) bytes += (await stat(join(path, name))).size;
    return { path, bytes, changedMs, isOld };
  } catch {
    return undefined;
  }
}
