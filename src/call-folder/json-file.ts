import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.js';

/** The `version` of the JSON files of a call folder; it changes when a field changes its meaning or goes away. */
export const FOLDER_VERSION = 1;

/**
 * Replaces a JSON file of a call folder: a reader sees what was there before, or this.
 * @throws the system's error; what was there stays
 */
export async function replaceJson(path: string, content: object): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await makeFolder(dirname(path));
  try {
    await writeFile(draft, `${JSON.stringify({ version: FOLDER_VERSION, ...content }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
