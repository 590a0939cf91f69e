/** The thread that writes to call folders: see {@link DiskThread}. */
import { parentPort } from 'node:worker_threads';
import { followClock, leaveClock } from '../../base/clock/process-clock.js';
import type { WordTimes } from '../disclosure.js';
import type { DoneJob, FileJob, NumberedJob, ReplaceJob } from './disk-thread.js';
import { replaceFile } from './disk-writes.js';
import { EventLines } from './event-file.js';
import { CallRecording } from './folder-tape.js';
import { type JournalFile, sharedNow } from './journal.js';

/** How often the thread looks into the journals, in milliseconds: no process wakes it. What waits in them is lost when the process is killed. */
const LOOK_EVERY_MS = 100;

interface OpenFile {
  readonly file: JournalFile;
  /** Of the job that is done when the file is closed. */
  readonly number: number;
}

/** The files of call folders that a process writes to. Each function waits for the disk. */
class OpenFiles {
  readonly #open = new Map<number, OpenFile>();

  /** @param tell what is done, well or not */
  constructor(private readonly tell: (done: DoneJob) => void) {}

  get areThere(): boolean {
    return this.#open.size > 0;
  }

  run({ number, job }: NumberedJob): void {
    if (job.do === 'record') this.#open.set(job.file, { file: new CallRecording(job), number });
    else if (job.do === 'add_events') this.#open.set(job.file, { file: new EventLines(job.path, job.journal), number });
    else if (job.do === 'find_words') this.#find(number, job.file);
    else this.tell({ number, problem: problemOf(() => this.#carryOut(job)) });
  }

  /** Has every file write what has waited for long enough. */
  look(): void {
    const nowMs = sharedNow();
    for (const id of this.#open.keys()) this.#try(id, (file) => file.look(nowMs));
  }

  /** What fails in a file is the result of the job that has opened the file, and not of this one. */
  #carryOut(job: FileJob | ReplaceJob): void {
    if (job.do === 'replace') replaceFile(job.path, job.text);
    else if (job.do === 'flush') this.#try(job.file, (file) => file.flush());
    else {
      this.#try(job.file, (file) => file.finish());
      this.#close(job.file);
    }
  }

  #find(number: number, id: number): void {
    let isTold = false;
    const tell = (words?: WordTimes) => {
      if (!isTold) this.tell({ number, words });
      isTold = true;
    };
    const { file } = this.#open.get(id) ?? {};
    this.#try(id, () => file?.findWords?.(tell));
    if (!file?.findWords || !this.#open.has(id)) tell();
  }

  #try(id: number, act: (file: JournalFile) => void): void {
    const open = this.#open.get(id);
    const problem = open && problemOf(() => act(open.file));
    if (problem) this.#close(id, problem);
  }

  #close(id: number, problem?: DoneJob['problem']): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.file.release();
    this.tell({ number: open.number, problem });
  }
}

function problemOf(act: () => void): DoneJob['problem'] {
  try {
    act();
    return undefined;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { message, code };
  }
}

const files = new OpenFiles((done) => parentPort?.postMessage(done));
let look: NodeJS.Timeout | undefined;

/** A file may also be closed because it cannot be written to. */
function lookWhileNeeded(): void {
  if (files.areThere) look ??= setInterval(lookNow, LOOK_EVERY_MS);
  else {
    clearInterval(look);
    look = undefined;
  }
}

function lookNow(): void {
  files.look();
  lookWhileNeeded();
}

parentPort?.on('message', (job: NumberedJob) => {
  if (job.clock === 'machine') leaveClock();
  else if (job.clock) followClock(job.clock);
  files.run(job);
  lookWhileNeeded();
});
