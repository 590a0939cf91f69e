import { copyFileSync, readFileSync } from 'node:fs';
import { replaceFile, withFileLock } from '../../numbers/durable-file.js';
import { isLater, isTakenOff, type ListChange, lineOf, readChange } from './list-change.js';

const LOCK_LIMIT_MS = 10_000;
/** A number that can still be read in a line that cannot. */
const READABLE = /"number":"(\+[1-9]\d{6,14})"/;

/** What a repair has found. */
export interface RepairedList {
  /** Numbers on the list now. */
  readonly kept: number;
  /** Lines that could not be read, from 1; `number`: what could still be read there, and is on the list. */
  readonly lines: ReadonlyArray<{ readonly line: number; readonly number?: string | undefined }>;
  /** Where the damaged file is kept; undefined where nothing was damaged. */
  readonly aside: string | undefined;
}

/**
 * Writes the list again with what can be read of it. A line whose number can still be read keeps that number from being called.
 * @throws Error of the file system, LockHeldError
 */
export function repairList(path: string, now = Date.now()): Promise<RepairedList> {
  return withFileLock(`${path}.lock`, { limitMs: LOCK_LIMIT_MS }, async () => {
    const text = textOf(path);
    const known = new Map<string, ListChange>();
    const lines: Array<{ line: number; number?: string }> = [];
    const take = (change: ListChange) => {
      if (isLater(change, known.get(change.number))) known.set(change.number, change);
    };
    const all = text.split('\n');
    for (const [index, line] of all.entries()) {
      const change = readChange(line);
      const isCutOff = index === all.length - 1; // by a crash, and never confirmed
      if (change) take(change);
      else if (line.trim() !== '' && !isCutOff) {
        const number = READABLE.exec(line)?.[1];
        lines.push({ line: index + 1, ...(number !== undefined && { number }) });
      }
    }
    for (const { number } of lines) if (number !== undefined) take({ number, at: now, how: 'operator' });
    const aside =
      lines.length > 0 ? `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}` : undefined;
    if (aside !== undefined) {
      copyFileSync(path, aside);
      replaceFile(path, [...known.values()].map(lineOf).join(''));
    }
    return { kept: [...known.values()].filter((change) => !isTakenOff(change)).length, lines, aside };
  });
}

/** Empty when there is none. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
