import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { localDay } from '../../base/process/local-day.js';

/** What the name of a call's folder looks like; voicebot leaves anything else in the directory alone. */
const NAME = /^\d{4}-\d{2}-\d{2}-[A-Za-z0-9_-]{1,64}$/;
const DAY_LENGTH = 'yyyy-mm-dd-'.length;

/** Where the folders of all calls are. */
export const callFoldersDirectory = (stateDirectory: string): string => join(stateDirectory, 'calls');

/**
 * `2026-01-31-<call id>`, the day by the clock of this machine.
 * @param id of the call; providers make some of them, so one that is more than letters, digits, `-` and `_` gives its hash
 * @param startedAt milliseconds since the Unix epoch
 */
export const callFolderName = (id: string, startedAt: number): string =>
  `${localDay(new Date(startedAt))}-${idForName(id)}`;

/** As {@link idInName} finds it. */
export function idForName(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `x${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** Names of the folders in a directory of them, newest day first; none when it is not there. */
export async function callFolderNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .reverse();
}

/** The identifier of the call, or its hash. */
export const idInName = (name: string): string => name.slice(DAY_LENGTH);

/**
 * The folders of a call.
 * @param id its identifier, or a beginning of it
 * @returns paths: one where the call is known, several where calls share the beginning, none where none has it
 */
export async function findCallFolders(stateDirectory: string, id: string): Promise<string[]> {
  const directory = callFoldersDirectory(stateDirectory);
  const names = await callFolderNames(directory);
  const exact = names.filter((name) => idInName(name) === idForName(id));
  const found = exact.length > 0 || id === '' ? exact : names.filter((name) => idInName(name).startsWith(id));
  return found.map((name) => join(directory, name));
}
