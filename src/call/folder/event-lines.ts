import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, writeAll } from './disk-writes.js';
import { JournalReader } from './journal.js';
import { EVENT_ENTRY } from './journal-entries.js';
import type { JournalFile } from './journal-file.js';

/** How long a line may wait for others to be written with, in milliseconds. */
const BATCH_MS = 800;

/** Adds the lines of a journal to a file. Several processes may do so at once: only whole lines are added, behind what is there. */
export class EventLines implements JournalFile {
  readonly #journal: JournalReader;
  #fd: number | undefined;
  /** When what waits is written; undefined while nothing does. */
  #dueMs: number | undefined;
  /** Another process may have been killed while it added a line. */
  #mayBeCut = true;

  constructor(
    private readonly path: string,
    journal: SharedArrayBuffer,
  ) {
    this.#journal = new JournalReader(journal);
  }

  look(nowMs: number): void {
    if (this.#journal.isEmpty) return;
    this.#dueMs ??= nowMs + BATCH_MS;
    if (nowMs >= this.#dueMs) this.flush();
  }

  flush(): void {
    this.#dueMs = undefined;
    let lines = '';
    this.#journal.read((entry) => {
      if (entry.kind === EVENT_ENTRY.line) lines += this.#journal.textOf(entry);
      else this.#mayBeCut = true;
    });
    if (lines === '') return;
    this.#fd ??= open(this.path);
    if (this.#mayBeCut && isCutOff(this.#fd)) lines = `\n${lines}`;
    this.#mayBeCut = false;
    writeAll(this.#fd, Buffer.from(lines), null);
  }

  finish(): void {
    this.flush();
  }

  release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

function open(path: string): number {
  makeFolder(dirname(path));
  return openSync(path, 'a+', 0o600);
}

/** Whether it does not end with the end of a line. */
function isCutOff(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last.toString() !== '\n';
}
