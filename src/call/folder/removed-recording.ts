import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './disk-writes.js';
import { callFolderNames } from './folder-name.js';

/** Says that what was recorded is removed: written before anything is, so that a crash in between leaves no half of it. */
const MARK = 'removed.json';
/** What tells of a call what was said in it; the record stays. */
const HOLDS_TALK = /^(?:audio\.wav|events\.ndjson|transcript\.json)(?:\..*)?$/;

/**
 * Removes what is recorded of a call, as the other party wishes. May be called again, by any process: what was written meanwhile goes too.
 * @param folder of the call
 * @throws the system's error
 */
export function removeRecording(folder: string): void {
  if (!isRecordingRemoved(folder)) writeMark(folder);
  for (const name of readdirSync(folder)) if (HOLDS_TALK.test(name)) rmSync(join(folder, name), { force: true });
}

export const isRecordingRemoved = (folder: string): boolean => existsSync(join(folder, MARK));

/** Removes what processes that have died have left of such calls. Never rejects. @param directory of the folders */
export async function finishRemovals(directory: string): Promise<void> {
  for (const name of await callFolderNames(directory)) {
    const folder = join(directory, name);
    try {
      if (isRecordingRemoved(folder)) removeRecording(folder);
    } catch {} // the next runner that starts tries again
  }
}

function writeMark(folder: string): void {
  makeFolder(folder);
  const file = openSync(join(folder, MARK), 'w', 0o600);
  try {
    const text = 'The other party has objected to the recording: what there was has been removed.';
    writeSync(file, `${JSON.stringify({ version: 1, removedAt: Date.now(), why: text }, undefined, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
