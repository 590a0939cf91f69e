import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonFields, parseFields } from '../../base/http/json-fields.js';
import { isGone, isSameProcess, thisProcess } from '../../base/process/process-identity.js';
import { asCallId, type CallId } from '../call-id.js';
import { diskThread } from './disk-thread.js';
import { makeFolder } from './disk-writes.js';
import { readFolderText, replaceJson } from './folder-file.js';
import { callFolderNames, idForName, idInName } from './folder-name.js';
import { type RecordFile, readRecordFile } from './read-record.js';

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

/**
 * The calls whose recordings processes of this machine have removed, or have begun to.
 * @param directory of the folders. Never rejects
 */
export async function removedCalls(directory: string): Promise<CallId[]> {
  const removed: CallId[] = [];
  for (const name of await callFolderNames(directory)) {
    const folder = join(directory, name);
    if (await isThere(join(folder, MARK)))
      removed.push((await readRecordFile(folder)).content?.id ?? asCallId(idInName(name)));
  }
  return removed;
}

/**
 * Removes what is recorded of calls in whose folders no process of this machine writes any more, and of those that are linked with them, and has
 * their records say so, but for a record that a runner still writes. What cannot be removed stays until the next time; never rejects.
 * @param directory of the folders
 * @returns these calls and those that are linked with them, as far as it is known here
 */
export async function removeRecordings(directory: string, ids: Iterable<CallId>): Promise<CallId[]> {
  const given = new Set(ids);
  const all = new Set(given);
  const names = new Map<string, string[]>();
  for (const name of await callFolderNames(directory)) {
    const same = names.get(idInName(name));
    if (same) same.push(name);
    else names.set(idInName(name), [name]);
  }
  for (const id of all) {
    for (const name of names.get(idForName(id)) ?? []) {
      const folder = join(directory, name);
      const { content: record } = await readRecordFile(folder);
      const { linkedTo, consulted = [] } = record ?? {};
      for (const other of [...(linkedTo ? [linkedTo] : []), ...consulted]) all.add(other);
      await removeWhole(folder, record !== undefined && isWritten(record, given.has(id))).catch(() => {});
    }
  }
  return [...all];
}

/** @param isKept its record is left as it is */
async function removeWhole(folder: string, isKept: boolean): Promise<void> {
  if (!(await isThere(join(folder, MARK))) || (await readdir(folder)).some((name) => HOLDS_TALK.test(name)))
    removeRecording(folder);
  if (isKept) return;
  await changeRecordFile(folder, ({ summary, ...record }) => {
    if (record.recordingRemovedAt === undefined) return { ...record, recordingRemovedAt: Date.now() };
    return summary === undefined ? undefined : record; // which has words
  });
}

/**
 * Whether a runner of this machine still replaces the record: it leaves out what was said by itself. The last one that it writes has a summary.
 * @param isOverHere this process writes nothing of the call any more
 */
function isWritten({ state, summary, runner, startedAt }: RecordFile, isOverHere: boolean): boolean {
  if (state === 'ended' || summary !== undefined || !runner || isGone(runner, startedAt) !== false) return false;
  return !(isOverHere && isSameProcess(runner, thisProcess()));
}

/**
 * Changes the record in a folder to which no process adds anything any more. Does nothing where no record can be read.
 * @param change gives what it is then; undefined: it stays
 * @throws the system's error
 */
export async function changeRecordFile(
  folder: string,
  change: (record: JsonFields) => object | undefined,
): Promise<void> {
  const path = join(folder, 'call.json');
  const record = parseFields(await readFolderText(path).catch(() => ''));
  const changed = record && change(record);
  if (changed) await replaceJson(diskThread, path, changed);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function writeMark(folder: string): void {
  makeFolder(folder);
  const file = openSync(join(folder, MARK), 'w', 0o600);
  try {
    const text =
      'A party of the call, or of one that is linked with it, has objected to the recording: it was removed.';
    writeSync(file, `${JSON.stringify({ version: 1, removedAt: Date.now(), why: text }, undefined, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
