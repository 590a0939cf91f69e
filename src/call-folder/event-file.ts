import type { TimelineEvent } from '../call/timeline.js';
import { closeFile, type Disk, fileNumber } from './disk-thread.js';

/** How long an event may wait for others to be written with, in milliseconds. */
const BATCH_MS = 900;
/** What may wait for a disk that is slow, in characters. */
const MAX_WAITING = 1_048_576;

export interface EventFileOptions {
  readonly path: string;
  readonly disk: Disk;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** Adds events to a file, a line each. Several processes may do so at once: only whole lines are added, behind what is there. */
export class EventFile {
  readonly #number = fileNumber();
  #waiting: string[] = [];
  #waitingLength = 0;
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isOver = false;
  /** Another process may have been killed while it added a line. */
  #mayBeCut = true;

  constructor(private readonly options: EventFileOptions) {}

  add(event: TimelineEvent): void {
    if (this.#isOver) return;
    const line = `${lineOf(event)}\n`;
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#isWriting && this.#waitingLength > MAX_WAITING) this.#fail(new Error('the disk is too slow'));
    else if (!this.#isWriting) this.#timer ??= setTimeout(() => void this.#write(), BATCH_MS);
  }

  /** Another process that adds to the file has ended, and nobody knows how. */
  otherIsGone(): void {
    this.#mayBeCut = true;
  }

  /** Resolves when everything so far is written, or nothing more can be. */
  async flush(): Promise<void> {
    const { disk } = this.options;
    clearTimeout(this.#timer);
    await disk.flush(); // what is being written
    const written = this.#write();
    await disk.flush();
    await written;
  }

  /** The same, at the end. */
  async close(): Promise<void> {
    await this.flush();
    this.#isOver = true;
    await closeFile(this.options.disk, this.#number);
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingLength = 0;
    if (text === '' || this.#isOver) return;
    const { disk, path } = this.options;
    const mayBeCut = this.#mayBeCut;
    this.#mayBeCut = false;
    this.#isWriting = true;
    try {
      await disk.run({ do: 'append', file: this.#number, path, text, mayBeCut });
    } catch (error) {
      this.#fail(error as Error);
    }
    this.#isWriting = false;
    if (this.#waiting.length > 0 && !this.#isOver) this.#timer ??= setTimeout(() => void this.#write(), BATCH_MS);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    void closeFile(this.options.disk, this.#number);
    this.options.onFailed(error);
  }
}

/** What a function of the model takes and returns may be anything. */
function lineOf(event: TimelineEvent): string {
  try {
    return JSON.stringify(event);
  } catch {
    const { at, source, type } = event;
    return JSON.stringify({ at, source, type, ...('name' in event && { name: event.name }) });
  }
}
