import { createHash, randomBytes, randomInt } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pause } from '../../base/async/pause.js';
import { parseFields } from '../../base/http/json-fields.js';
import { isGone, type ProcessIdentity, thisProcess } from '../../base/process/process-identity.js';
import { renameOver } from '../../base/process/rename-over.js';

/**
 * Writes a file for this user alone that is there whole, and on the disk, or not at all.
 * @param isKept false for a file that a power failure may lose or leave empty: it does not wait for the disk
 * @returns false when there is one already, which stays as it is
 */
export function createFile(path: string, text: string, isKept = true): boolean {
  const draft = writeDraft(path, text, isKept);
  try {
    linkSync(draft, path);
    if (isKept) syncFolder(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** As {@link createFile}; a reader sees what was there before, or this. */
export function replaceFile(path: string, text: string): void {
  renameOver(writeDraft(path, text, true), path);
  syncFolder(path);
}

/** What a process that was killed may have left of a file that it was writing. */
export const isDraftOf = (name: string, file: string) =>
  name.startsWith(`${file}.`) && /^\.\d+\.draft$/.test(name.slice(file.length));

function writeDraft(path: string, text: string, isKept: boolean): string {
  // for locks: machines that share a folder may have processes of the same number
  const draft = `${path}.${process.pid}${isKept ? '' : randomInt(2 ** 32)}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text); // the whole of it, or an error: a disk that fills up takes a part
    if (isKept) fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}

/** The name of a new file is on the disk only when its folder is. Some systems cannot be asked for that. */
export function syncFolder(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const LOOK_EVERY_MS = 10;
/** A process that takes a lock which it has released so lately waits for as long first: another that looks for it takes it meanwhile. */
const TURN_MS = 25;
/** A lock of a process that cannot be seen from here is one of a dead process after this time, in milliseconds. */
const FOREIGN_LIMIT_MS = 120_000;
/** Breaking a lock takes no longer than this, in milliseconds, unless the process that did it was killed. */
const BREAKING_LIMIT_MS = 10_000;

/** What the file of a lock says. `id` differs for every time it is taken. */
interface LockHolder extends ProcessIdentity {
  readonly id: string;
}

/** When this process has released locks, by their paths; monotonic, in milliseconds. */
const releasedAt = new Map<string, number>();

/** Another holder has kept the lock for as long as we would wait. */
export class LockHeldError extends Error {
  override readonly name: string = 'LockHeldError';

  constructor(readonly holder: ProcessIdentity | undefined) {
    super(holder ? `held by process ${holder.pid} on ${holder.host}` : 'held by another process');
  }
}

/**
 * Does something that no other process, and no other part of this one, does at the same time under the same path. What a
 * killed process held is free again. Who takes it again and again leaves the others their turns.
 * @param limitMs longest wait for the others
 * @throws LockHeldError, or the signal's reason when that is aborted while waiting
 */
export async function withFileLock<T>(
  path: string,
  { limitMs, signal }: { readonly limitMs: number; readonly signal?: AbortSignal | undefined },
  act: () => Promise<T>,
): Promise<T> {
  const id = randomBytes(8).toString('hex');
  const lateAt = performance.now() + limitMs;
  const turnMs = (releasedAt.get(path) ?? Number.NEGATIVE_INFINITY) + TURN_MS - performance.now();
  if (turnMs > 0) await pause(turnMs, signal);
  for (;;) {
    const text = readText(path);
    if (text === undefined && createFile(path, JSON.stringify({ id, ...thisProcess() } satisfies LockHolder), false))
      break;
    const holder = text === undefined ? undefined : readHolder(text);
    const isFree = text !== undefined && (!holder || isLeft(path, holder));
    if (isFree && breakLock(path, text)) continue;
    if (performance.now() > lateAt) throw new LockHeldError(holder);
    await pause(LOOK_EVERY_MS, signal);
  }
  try {
    return await act();
  } finally {
    if (readHolder(readText(path) ?? '')?.id === id) rmSync(path, { force: true });
    releasedAt.set(path, performance.now());
  }
}

function isLeft(path: string, holder: LockHolder): boolean {
  const since = takenAt(path);
  return isGone(holder, since) ?? Date.now() - since > FOREIGN_LIMIT_MS;
}

/**
 * Removes a dead process's lock, and never one that was taken since: of all processes that want to break this very lock
 * one may, and only that one removes it.
 * @param text what the lock says that was found to be a dead process's
 * @returns false when another process is at it
 */
export function breakLock(path: string, text: string): boolean {
  const breaking = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (!createFile(breaking, '', false)) {
    if (Date.now() - takenAt(breaking) > BREAKING_LIMIT_MS) rmSync(breaking, { force: true });
    return false;
  }
  try {
    if (readText(path) === text) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(breaking, { force: true });
  }
}

/** Undefined for what no process can have written whole. */
function readHolder(text: string): LockHolder | undefined {
  const holder = parseFields(text) as Partial<LockHolder> | undefined;
  const isWhole = typeof holder?.id === 'string' && Number(holder.pid) > 0 && typeof holder.host === 'string';
  return isWhole ? (holder as LockHolder) : undefined;
}

/** Undefined when there is none. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Milliseconds since the epoch; now when it is gone. */
function takenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
