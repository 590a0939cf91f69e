import type { TimelineEvent } from '../timeline.js';
import type { Disk } from './disk-thread.js';
import { FileJournal } from './file-journal.js';
import { EVENT_ENTRY } from './journal-entries.js';

/** What may wait for a disk that is slow, in bytes. */
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

  /** Another process that adds to the file has ended, and nobody knows how. */
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
