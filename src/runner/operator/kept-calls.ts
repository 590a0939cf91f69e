import { basename, join } from 'node:path';
import type { CallId } from '../../call/call-id.js';
import {
  callFolderName,
  callFolderNames,
  callFoldersDirectory,
  findCallFolders,
  idInName,
} from '../../call/folder/folder-name.js';
import { type CallFolder, readCallFolder } from '../../call/folder/read-call-folder.js';
import { readRecordFile } from '../../call/folder/read-record.js';
import type { PlacedCall } from '../../call/placed-call.js';

/** Folders that are listed. */
const MOST_LISTED = 200;

/** The folders of calls in a state directory, those of earlier runs and of other runners among them. */
export class KeptCalls {
  constructor(private readonly stateDirectory: string) {}

  /** @returns the path of a call's folder; undefined where it has none */
  async find(id: CallId): Promise<string | undefined> {
    const paths = await findCallFolders(this.stateDirectory, id);
    return paths.find((path) => idInName(basename(path)) === idInName(callFolderName(id, 0)));
  }

  async read(id: CallId): Promise<CallFolder | undefined> {
    const path = await this.find(id);
    return path === undefined ? undefined : await readCallFolder(path);
  }

  /** The records of calls that have a folder, as far as they can be read: newest first, at most 200. */
  async list(): Promise<PlacedCall[]> {
    const directory = callFoldersDirectory(this.stateDirectory);
    const names = await callFolderNames(directory);
    const records = await Promise.all(names.slice(0, MOST_LISTED).map((name) => recordOf(join(directory, name))));
    return records.toSorted((a, b) => b.startedAt - a.startedAt);
  }
}

/** That of a call whose end is not written down is put together from what is left of it. */
async function recordOf(path: string): Promise<PlacedCall> {
  const { content } = await readRecordFile(path);
  if (content?.state !== 'ended') return (await readCallFolder(path)).record;
  const { runner: _, ...record } = content;
  return record;
}
