import { closeSync, fstatSync, mkdirSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VoicebotError } from '../../../base/errors.js';
import type { DoNotCallEntry } from '../../../call/do-not-call.js';
import { LockHeldError, syncFolder, withFileLock } from '../../numbers/durable-file.js';
import type { NumberToList } from './do-not-call-list.js';
import { isLater, isTakenOff, type ListChange, lineOf, readChange } from './list-change.js';

/** Longest wait for another process that writes, in milliseconds. */
const LOCK_LIMIT_MS = 10_000;

/** Where the list is. The sandbox has one of its own: what is played there keeps no real number from being called. */
export const doNotCallPath = (stateDirectory: string, isSandbox: boolean): string =>
  join(stateDirectory, 'do-not-call', isSandbox ? 'sandbox.ndjson' : 'list.ndjson');

/** Makes of what is known what is to be written; undefined for nothing. */
type ListWish = (known: (number: string) => ListChange | undefined) => readonly ListChange[];

interface WaitingWish {
  readonly wish: ListWish;
  readonly written: (changes: readonly ListChange[]) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The do-not-call list in a file of the state directory: a line for each change, only ever added to. What several processes write there they all
 * see at their next look. A last line that a crash has cut off was never confirmed, and is no damage; any other line that cannot be read is.
 */
export class DoNotCallFile {
  readonly #known = new Map<string, ListChange>();
  #listed = 0;
  /** How far the file has been read, in bytes: whole lines. */
  #readTo = 0;
  #lines = 0;
  /** The file as it was when it was looked at last. */
  #seen = '';
  #node = 0;
  #damage: VoicebotError | undefined;
  readonly #waiting: WaitingWish[] = [];
  #isWriting = false;
  /** The name of the file is on the disk. */
  #isNameKept = false;

  /** @param onRead told of changes that another process has written */
  constructor(
    readonly path: string,
    private readonly onRead: (changes: readonly ListChange[]) => void = () => {},
  ) {}

  /** Numbers on the list. */
  get size(): number {
    this.#look();
    return this.#listed;
  }

  /** @returns undefined where it is not on the list. @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  get(number: string): DoNotCallEntry | undefined {
    this.#look();
    const known = this.#known.get(number);
    return known && !isTakenOff(known) ? known : undefined;
  }

  /** All that is known, also of numbers that were taken off again. @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  changes(): ListChange[] {
    this.#look();
    return [...this.#known.values()];
  }

  /** Oldest first. @throws VoicebotError VB_DO_NOT_CALL_DAMAGED */
  entries(): DoNotCallEntry[] {
    return this.changes()
      .filter((change): change is DoNotCallEntry => !isTakenOff(change))
      .sort((a, b) => a.at - b.at);
  }

  /** What was written, on the disk when it resolves: without numbers that are on the list already. @throws as {@link get}; Error of the file system */
  add(asked: readonly NumberToList[], now = Date.now()): Promise<readonly ListChange[]> {
    return this.#write((known) => {
      const missing = new Map<string, ListChange>();
      for (const one of asked) {
        const before = known(one.number);
        // a person who asks again is on the list whatever the clock of the machine says that has taken the number off
        if (!before || isTakenOff(before)) missing.set(one.number, { ...one, at: timeAfter(before, now) });
      }
      return [...missing.values()];
    });
  }

  /** The same, without numbers that are not on the list. */
  remove(numbers: readonly string[], now = Date.now()): Promise<readonly ListChange[]> {
    return this.#write((known) =>
      [...new Set(numbers)].flatMap((number): ListChange[] => {
        const before = known(number);
        return before && !isTakenOff(before) ? [{ number, at: timeAfter(before, now), off: true }] : [];
      }),
    );
  }

  /** Takes over what other runners know; the later change of each number counts. */
  async merge(changes: readonly ListChange[]): Promise<readonly ListChange[]> {
    this.#look();
    const isOnDisk = !this.#isWriting && this.#seen !== GONE;
    if (isOnDisk && !changes.some((change) => isLater(change, this.#known.get(change.number)))) return [];
    return await this.#write((known) => changes.filter((change) => isLater(change, known(change.number))));
  }

  /** Those that wait for the same disk are written together. */
  #write(wish: ListWish): Promise<readonly ListChange[]> {
    return new Promise((written, failed) => {
      this.#waiting.push({ wish, written, failed });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0);
      try {
        mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
        const results = await withFileLock(`${this.path}.lock`, { limitMs: LOCK_LIMIT_MS }, () => this.#append(some));
        for (const [index, { written }] of some.entries()) written(results[index] ?? []);
      } catch (error) {
        const told = error instanceof LockHeldError ? lockedBy(error) : error;
        for (const { failed } of some) failed(told);
      }
    }
    this.#isWriting = false; // in the same turn as the last look at what waits
  }

  async #append(some: readonly WaitingWish[]): Promise<ListChange[][]> {
    this.#look();
    const wanted = new Map<string, ListChange>();
    const results = some.map(({ wish }) => {
      const changes = [...wish((number) => wanted.get(number) ?? this.#known.get(number))];
      for (const change of changes) wanted.set(change.number, change);
      return changes;
    });
    const isGone = this.#seen === GONE && this.#known.size > 0;
    const changes = results.flat();
    if (changes.length === 0 && !isGone) return results;
    // a file that was removed under our hands is written again
    const text = (isGone ? [...this.#known.values(), ...changes] : changes).map(lineOf).join('');
    // another process may have made the file, and have been killed before its name was on the disk
    const isNameKept = this.#isNameKept && this.#seen !== GONE;
    const file = await open(this.path, 'a', 0o600);
    try {
      const { size } = await file.stat();
      const rest = size > this.#readTo ? readBytes(this.path, this.#readTo).toString('utf8') : '';
      // What was cut off was never confirmed. A whole line without its end was written by hand, and counts.
      if (rest !== '' && !readChange(rest)) await file.truncate(this.#readTo);
      await file.appendFile(`${rest !== '' && readChange(rest) ? '\n' : ''}${text}`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!isNameKept) syncFolder(this.path);
    this.#isNameKept = true;
    this.#look(results.flat());
    return results;
  }

  /** Reads what is new in the file. @param own what this process has just written there */
  #look(own: readonly ListChange[] = []): void {
    const stats = this.#stat();
    const seen = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : GONE;
    if (seen === this.#seen) {
      if (this.#damage) throw this.#damage;
      return;
    }
    this.#seen = seen;
    this.#damage = undefined;
    if (!stats) {
      this.#readTo = this.#lines = 0;
      return; // what is known is still known
    }
    if (stats.ino !== this.#node || stats.size <= this.#readTo) {
      this.#readTo = this.#lines = this.#listed = 0;
      this.#known.clear();
    }
    this.#node = stats.ino;
    let others: readonly ListChange[];
    try {
      others = this.#read(own);
    } catch (error) {
      this.#damage = error instanceof VoicebotError ? error : damaged(this.path, (error as Error).message, error);
      this.#readTo = this.#lines = this.#listed = 0;
      this.#known.clear();
      this.#node = 0; // the whole of it again when it has changed
      throw this.#damage;
    }
    if (others.length > 0) this.onRead(others);
  }

  /** @returns what others have written */
  #read(own: readonly ListChange[]): ListChange[] {
    const bytes = readBytes(this.path, this.#readTo);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const ours = new Set(own.map((change) => lineOf(change).trimEnd()));
    const others: ListChange[] = [];
    const take = (line: string, isWhole: boolean) => {
      const change = readChange(line);
      if (change) {
        if (this.#take(change) && !ours.has(line)) others.push(change);
      } else if (isWhole && line.trim() !== '') throw damaged(this.path, `line ${this.#lines} cannot be read`);
    };
    for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) {
      this.#lines += 1;
      take(line, true);
    }
    this.#readTo += end;
    take(bytes.toString('utf8', end), false);
    return others;
  }

  #take(change: ListChange): boolean {
    const before = this.#known.get(change.number);
    if (!isLater(change, before)) return false;
    this.#listed += Number(!isTakenOff(change)) - Number(before !== undefined && !isTakenOff(before));
    this.#known.set(change.number, change);
    return true;
  }

  #stat(): Stats | undefined {
    try {
      return statSync(this.path, { throwIfNoEntry: false });
    } catch (error) {
      throw damaged(this.path, (error as Error).message, error);
    }
  }
}

const GONE = 'gone';

/** Later than what it undoes. */
const timeAfter = (before: ListChange | undefined, now: number) => Math.max(now, (before?.at ?? 0) + 1);

function readBytes(path: string, from: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from));
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(file, bytes, at, bytes.length - at, from + at);
      if (read === 0) return bytes.subarray(0, at);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

const damaged = (path: string, why: string, cause?: unknown): VoicebotError =>
  new VoicebotError('VB_DO_NOT_CALL_DAMAGED', `${path}: ${why}. No number is called before it is repaired`, {
    hint: 'Type npx voicebot do-not-call repair: it keeps the damaged file beside, and says what is lost',
    cause,
  });

const lockedBy = (error: LockHeldError): VoicebotError =>
  new VoicebotError('VB_INTERNAL', `the do-not-call list cannot be written: its lock is ${error.message}`, {
    hint: 'Let that process finish, or end it, then try again',
    cause: error,
  });
