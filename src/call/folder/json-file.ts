import type { Disk } from './disk-thread.js';

/** The `version` of the JSON files of a call folder; it changes when a field changes its meaning or goes away. */
export const FOLDER_VERSION = 1;

/**
 * Replaces a JSON file of a call folder: a reader sees what was there before, or this.
 * @throws the system's error; what was there stays
 */
export async function replaceJson(disk: Disk, path: string, content: object): Promise<void> {
  const text = `${JSON.stringify({ version: FOLDER_VERSION, ...content }, undefined, 2)}\n`;
  await disk.run({ do: 'replace', path, text });
}
