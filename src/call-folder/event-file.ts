import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TimelineEvent } from '../call/timeline.js';
import { type DiskQueue, writeAll } from './disk-queue.js';
import { makeFolder } from './make-folder.js';

/** How long an event may wait for others to be written with, in milliseconds. */
const BATCH_MS = 500;
/** What may wait for a disk that is slow, in characters. */
const MAX_WAITING = 1_048_576;

export interface EventFileOptions {
  readonly path: string;
  readonly disk: DiskQueue;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** Adds events to a file, a line each. Several processes may do so at once: only whole lines are added, behind what is there. */
export class EventFile {
  #waiting: string[] = [];
  #waitingLength = 0;
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isOver = false;
  #file: FileHandle | undefined;
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
    clearTimeout(this.#timer);
    await this.options.disk.run(async () => {}); // what is being written
    await this.#write();
  }

  /** The same, at the end. */
  async close(): Promise<void> {
    await this.flush();
    this.#isOver = true;
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    await this.options.disk.run(async () => this.#file?.close()).catch(() => {}); // what it had taken is there
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingLength = 0;
    if (text === '' || this.#isOver) return;
    this.#isWriting = true;
    try {
      await this.options.disk.run(() => this.#append(text));
    } catch (error) {
      this.#fail(error as Error);
    }
    this.#isWriting = false;
    if (this.#waiting.length > 0 && !this.#isOver) this.#timer ??= setTimeout(() => void this.#write(), BATCH_MS);
  }

  async #append(text: string): Promise<void> {
    this.#file ??= await this.#open();
    const isCut = this.#mayBeCut && (await isCutOff(this.#file));
    this.#mayBeCut = false;
    await writeAll(this.#file.fd, Buffer.from(isCut ? `\n${text}` : text));
  }

  async #open(): Promise<FileHandle> {
    const { path } = this.options;
    await makeFolder(dirname(path));
    return open(path, 'a+', 0o600);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    void this.#letGo();
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

/** Whether it does not end with the end of a line. */
async function isCutOff(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}
