import { Worker } from 'node:worker_threads';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { clockStart, processClock } from '../../base/clock/process-clock.js';
import type { ClockStart, SharedClock } from '../../base/clock/shared-clock.js';
import type { WordTimes } from '../disclosure.js';
import { JournalWriter, journalMemory } from './journal.js';

/** What a process has its {@link DiskThread} do to the files of call folders. `file` is a number that this process gave the file. */
export type DiskJob = RecordJob | EventsJob | FileJob | FindJob | ReplaceJob;

interface JournalJob {
  readonly file: number;
  readonly path: string;
  /** Of a journal, which says what the file gets. */
  readonly journal: SharedArrayBuffer;
}

/** Done when the file is closed: the thread makes the recording of a call of what its journal tells. */
export interface RecordJob extends JournalJob {
  readonly do: 'record';
  /** Hertz. */
  readonly sampleRate: number;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** From when the bot sends audio until the caller's answer to it can come in, in milliseconds. */
  readonly delayMs: number;
}

/** Done when the file is closed: the thread adds the lines of the journal to it. */
export interface EventsJob extends JournalJob {
  readonly do: 'add_events';
}

/** The thread writes what the journal has got so far; to close the file, the rest of it too. */
export interface FileJob {
  readonly do: 'flush' | 'close';
  readonly file: number;
}

/** Done when the thread knows where the words stand in a recording that its journal has told it to watch. */
export interface FindJob {
  readonly do: 'find_words';
  readonly file: number;
}

/** A reader sees what was there before, or this. */
export interface ReplaceJob {
  readonly do: 'replace';
  readonly path: string;
  readonly text: string;
}

/** A job on its way to the thread. */
export interface NumberedJob {
  readonly number: number;
  readonly job: DiskJob;
  /** What time goes by from now on, where that has changed; `machine`: the machine's clock. */
  readonly clock?: ClockStart | 'machine' | undefined;
}

/** What came of it. */
export interface DoneJob {
  readonly number: number;
  /** The system's error, where it could not be done. */
  readonly problem?: { readonly message: string; readonly code: string | undefined } | undefined;
  /** Of a {@link FindJob}. */
  readonly words?: WordTimes | undefined;
}

/** Writes to call folders. */
export interface Disk {
  /** Rejects with the system's error; a part may have been written then. Resolves with what was asked for, where something was. */
  run(job: DiskJob): Promise<WordTimes | undefined>;
}

interface GivenJob {
  readonly done: Deferred<WordTimes | undefined>;
  /** The process waits for it: not for a file that is open. */
  readonly isAwaited: boolean;
}

/**
 * A thread that writes to the call folders of all calls of this process: only this thread waits for a disk that is slow or hangs.
 * It starts with the first job, and keeps the process alive only while something is to be flushed, closed or replaced.
 */
export class DiskThread implements Disk {
  readonly #given = new Map<number, GivenJob>();
  #number = 0;
  #worker: Worker | undefined;
  /** What the thread goes by. */
  #clock: SharedClock | undefined;

  constructor(private readonly script = new URL('./disk-worker.js', import.meta.url)) {}

  run(job: DiskJob): Promise<WordTimes | undefined> {
    const done = deferred<WordTimes | undefined>();
    this.#number += 1;
    this.#given.set(this.#number, { done, isAwaited: job.do !== 'record' && job.do !== 'add_events' });
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ number: this.#number, job, ...this.#clockChange() } satisfies NumberedJob);
      this.#keepAlive();
    } catch (error) {
      this.#lose(error as Error);
    }
    return done.promise;
  }

  #start(): Worker {
    // What this process was started with, such as a compiler for the bot, is not for the thread.
    const worker = new Worker(this.script, { execArgv: [] });
    worker.on('message', (done: DoneJob) => this.#settle(done));
    worker.on('error', (error) => this.#lose(error));
    return worker;
  }

  #clockChange(): Pick<NumberedJob, 'clock'> {
    const clock = processClock();
    if (clock === this.#clock) return {};
    this.#clock = clock;
    return { clock: clockStart(true) ?? 'machine' };
  }

  #settle({ number, problem, words }: DoneJob): void {
    const { done } = this.#given.get(number) ?? {};
    this.#given.delete(number);
    if (problem) done?.reject(Object.assign(new Error(problem.message), { code: problem.code }));
    else done?.resolve(words);
    this.#keepAlive();
  }

  #keepAlive(): void {
    if ([...this.#given.values()].some(({ isAwaited }) => isAwaited)) this.#worker?.ref();
    else this.#worker?.unref();
  }

  /** The next jobs get another thread. The jobs of this one fail when it has ended: until then it may read the memory it shares. */
  #lose({ message }: Error): void {
    const lost = [...this.#given.keys()];
    const ended = this.#worker?.terminate() ?? Promise.resolve();
    this.#worker = undefined;
    this.#clock = undefined;
    void ended.finally(() => {
      for (const number of lost) this.#settle({ number, problem: { message, code: undefined } });
    });
  }
}

/** The one thread of this process. */
export const diskThread = new DiskThread();

let files = 0;

/** Names a file to the thread. */
function fileNumber(): number {
  files += 1;
  return files;
}

type WithoutJournal<J> = Omit<J, 'file' | 'journal'>;

export interface FileJournalOptions {
  readonly disk: Disk;
  readonly job: WithoutJournal<RecordJob> | WithoutJournal<EventsJob>;
  /** How much may wait for a slow disk, in bytes. */
  readonly maxWaiting: number;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** The journal of one file, in the process that writes the journal: the thread makes the file of it. */
export class FileJournal {
  readonly #number = fileNumber();
  readonly #writer: JournalWriter;
  /** Resolves when the file is closed. */
  readonly #closed: Promise<unknown>;
  #isOver = false;

  constructor(private readonly options: FileJournalOptions) {
    const { disk, job, maxWaiting } = options;
    const journal = journalMemory.take(maxWaiting);
    this.#writer = new JournalWriter(journal);
    this.#closed = disk
      .run({ ...job, file: this.#number, journal })
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#isOver = true;
        journalMemory.giveBack(journal);
      });
  }

  writeSamples(kind: number, at: number, samples: Int16Array): void {
    if (!this.#isOver && !this.#writer.writeSamples(kind, at, samples)) this.#overflow();
  }

  writeText(kind: number, at: number, text: string): void {
    if (!this.#isOver && !this.#writer.writeText(kind, at, text)) this.#overflow();
  }

  /** Resolves when what it says so far is written, or nothing more can be. */
  async flush(): Promise<void> {
    if (!this.#isOver) await this.#run('flush');
  }

  /** The same, at the end. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    await this.#run('close');
    await this.#closed;
  }

  /** Where the words stand that it has told to watch; undefined where that is not known. Never rejects. */
  async findWords(): Promise<WordTimes | undefined> {
    if (this.#isOver) return undefined;
    return this.options.disk.run({ do: 'find_words', file: this.#number }).catch(() => undefined);
  }

  async #run(what: 'flush' | 'close'): Promise<void> {
    await this.options.disk.run({ do: what, file: this.#number }).catch(() => {}); // #closed tells what has become of the file
  }

  #overflow(): void {
    void this.#run('close');
    this.#fail(new Error('the disk is too slow'));
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.options.onFailed(error);
  }
}
