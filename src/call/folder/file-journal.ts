import type { EventsJob, RecordJob } from './disk-job.js';
import { type Disk, fileNumber } from './disk-thread.js';
import { JournalWriter } from './journal.js';
import { journalMemory } from './journal-memory.js';

type WithoutJournal<J> = Omit<J, 'file' | 'journal'>;

export interface FileJournalOptions {
  readonly disk: Disk;
  readonly job: WithoutJournal<RecordJob> | WithoutJournal<EventsJob>;
  /** How much may wait for a disk that is slow, in bytes. */
  readonly maxWaiting: number;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** The journal of one file, as who writes has it: the thread makes the file of what it says. */
export class FileJournal {
  readonly #number = fileNumber();
  readonly #writer: JournalWriter;
  /** Resolves when the file is closed. */
  readonly #closed: Promise<void>;
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

  async #run(what: 'flush' | 'close'): Promise<void> {
    await this.options.disk.run({ do: what, file: this.#number }).catch(() => {}); // what becomes of the file is told elsewhere
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
