import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFile } from './durable-file.js';
import { isGone, type ProcessIdentity, thisProcess } from './process-identity.js';

const LOOK_EVERY_MS = 50;
/** A lock of a process that cannot be seen from here is one of a dead process after this time, in milliseconds. */
const FOREIGN_LIMIT_MS = 120_000;
/** Breaking a lock takes no longer than this, in milliseconds, unless whoever did it was killed. */
const BREAKING_LIMIT_MS = 10_000;

/** What the file of a lock says. `id` differs for every time it is taken. */
interface LockHolder extends ProcessIdentity {
  readonly id: string;
}

/** Somebody else has held the lock for as long as we would wait. */
export class LockHeldError extends Error {
  override readonly name: string = 'LockHeldError';

  constructor(readonly holder: ProcessIdentity | undefined) {
    super(holder ? `held by process ${holder.pid} on ${holder.host}` : 'held by another process');
  }
}

/**
 * Does something that no other process, and nobody else in this one, does at the same time under the same path. What a
 * killed process held is free again.
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
  for (;;) {
    const text = readText(path);
    if (text === undefined && createFile(path, JSON.stringify({ id, ...thisProcess() } satisfies LockHolder))) break;
    const holder = text === undefined ? undefined : readHolder(text);
    const isFree = text !== undefined && (!holder || isLeft(path, holder));
    if (isFree && breakLock(path, text)) continue;
    if (performance.now() > lateAt) throw new LockHeldError(holder);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }
  try {
    return await act();
  } finally {
    if (readHolder(readText(path) ?? '')?.id === id) rmSync(path, { force: true });
  }
}

function isLeft(path: string, holder: LockHolder): boolean {
  const since = takenAt(path);
  return isGone(holder, since) ?? Date.now() - since > FOREIGN_LIMIT_MS;
}

/**
 * Removes a dead process's lock, and never one that somebody has taken since: of all who want to break this very lock one
 * may, and only he removes it.
 * @param text what the lock says that was found to be a dead process's
 * @returns false when somebody else is at it
 */
export function breakLock(path: string, text: string): boolean {
  const breaking = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (!createFile(breaking, '')) {
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

/** Undefined for what nobody can have written whole. */
function readHolder(text: string): LockHolder | undefined {
  try {
    const holder: Partial<LockHolder> | null = JSON.parse(text);
    const isWhole = typeof holder?.id === 'string' && Number(holder.pid) > 0 && typeof holder.host === 'string';
    return isWhole ? (holder as LockHolder) : undefined;
  } catch {
    return undefined;
  }
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
