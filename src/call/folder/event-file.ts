import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BotEntry, TimelineEvent } from '../timeline.js';
import { type Disk, FileJournal } from './disk-thread.js';
import { makeFolder, writeAll } from './disk-writes.js';
import { type JournalFile, JournalReader } from './journal.js';

/** Kinds of entries in the journal of a call's events: a line, and that another process that adds to the file may have been killed. */
const EVENT_ENTRY = { line: 1, otherIsGone: 2 } as const;

/** How much may wait for a slow disk, in bytes. */
const MAX_WAITING = 1_048_576;
/** Longest line, in characters: of a longer one its head alone is kept. */
const MAX_LINE = MAX_WAITING / 8;

export interface EventFileOptions {
  readonly path: string;
  readonly disk: Disk;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** Adds events to a file, a line each, less than a second later. Several processes may do so at once. */
export class EventFile {
  #journal: FileJournal | undefined;
  #isOver = false;

  constructor(private readonly options: EventFileOptions) {}

  add(event: TimelineEvent): void {
    this.#write(EVENT_ENTRY.line, `${lineOf(event)}\n`);
  }

  /** Another process that adds to the file has ended, and may have been killed in the middle of a line. */
  otherIsGone(): void {
    this.#write(EVENT_ENTRY.otherIsGone, '');
  }

  /** Resolves when everything so far is written, or nothing more can be. */
  async flush(): Promise<void> {
    await this.#journal?.flush();
  }

  /** The same, at the end. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#journal?.close();
  }

  #write(kind: number, text: string): void {
    if (this.#isOver) return;
    this.#journal ??= this.#open();
    this.#journal.writeText(kind, 0, text);
  }

  #open(): FileJournal {
    const { path, ...options } = this.options;
    return new FileJournal({ job: { do: 'add_events', path }, maxWaiting: MAX_WAITING, ...options });
  }
}

/** What a function of the model takes and returns may be anything, and long. */
function lineOf(event: TimelineEvent): string {
  try {
    const line = JSON.stringify(event);
    if (line.length <= MAX_LINE) return line;
  } catch {
    // no JSON
  }
  const { at, source, type } = event;
  return JSON.stringify({ at, source, type, ...('name' in event && { name: event.name }) });
}

/** How long a line may wait for others to be written with, in milliseconds. */
const BATCH_MS = 800;

/** The thread's side of an {@link EventFile}: adds the lines of its journal to the file. Several processes may do so at once: each adds whole lines, behind what is there. */
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

/** Stands for a key that is masked. */
export const MASKED_KEY = '•';

/** What of a call is to stay secret. */
export interface Secrecy {
  /** The call is not recorded, or not now: its folder keeps nothing of what is said, pressed and given to functions of the model. */
  readonly hidesTalk: boolean;
  /** Keys are kept as `•`. */
  readonly maskDigits: boolean;
}

const WORDS: readonly BotEntry['type'][] = ['said', 'saying', 'word_times', 'interim_transcript', 'keys'];

/** What may be kept of an entry; undefined for nothing. */
export function keptOf(entry: BotEntry, { hidesTalk, maskDigits }: Secrecy): BotEntry | undefined {
  const isKeyOnWire = entry.type === 'wire' && entry.name === 'dtmf';
  if (hidesTalk) {
    if (isKeyOnWire || WORDS.includes(entry.type)) return undefined;
    if (entry.type === 'tool_called') return { ...entry, input: undefined };
    if (entry.type === 'tool_returned') return { ...entry, output: undefined };
  }
  if (!maskDigits) return entry;
  if (entry.type === 'keys') return { ...entry, keys: masked(entry.keys) };
  return isKeyOnWire && entry.detail !== undefined ? { ...entry, detail: masked(entry.detail) } : entry;
}

const masked = (keys: string) => MASKED_KEY.repeat(keys.length);
