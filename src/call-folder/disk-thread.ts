import { Worker } from 'node:worker_threads';
import { type Deferred, deferred } from '../async/deferred.js';
import type { DiskJob, DiskOutcome } from './disk-job.js';

/**
 * How long a job may wait for others, in milliseconds: to wake the thread costs more than what it then writes. What waits is lost when
 * the process is killed.
 */
const BATCH_MS = 50;

/** Who writes to call folders. */
export interface Disk {
  /** Done in the order in which they are given. Rejects with the system's error; a part may have been written then. */
  run(job: DiskJob): Promise<void>;
  /** What was given so far does not wait for more. Resolves when it is done, well or not. */
  flush(): Promise<void>;
}

interface WaitingJob {
  readonly job: DiskJob;
  readonly done: Deferred<void>;
}

/**
 * A thread that writes to the call folders of all calls of this process: a disk that is slow or hangs keeps nobody but it waiting.
 * It starts with the first job, and does not keep the process alive while it has nothing to do. Who gives it jobs keeps in bounds
 * what waits.
 */
export class DiskThread implements Disk {
  #waiting: WaitingJob[] = [];
  /** What the thread has, in the order in which it answers. */
  #given: Array<readonly WaitingJob[]> = [];
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  constructor(private readonly script = new URL('./disk-worker.js', import.meta.url)) {}

  run(job: DiskJob): Promise<void> {
    const done = deferred<void>();
    this.#waiting.push({ job, done });
    this.#timer ??= setTimeout(() => this.#give(), BATCH_MS);
    return done.promise;
  }

  async flush(): Promise<void> {
    this.#give();
    await this.#given
      .at(-1)
      ?.at(-1)
      ?.done.promise.catch(() => {}); // in order, the last one too
  }

  #give(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const jobs = this.#waiting;
    this.#waiting = [];
    this.#given.push(jobs);
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(jobs.map(({ job }) => job));
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  #start(): Worker {
    // What this process was started with, such as a compiler for the bot, is not for the thread.
    const worker = new Worker(this.script, { execArgv: [] });
    worker.on('message', (outcomes: readonly DiskOutcome[]) => {
      const jobs = this.#given.shift() ?? [];
      for (const [n, { done }] of jobs.entries()) settle(done, outcomes[n]);
      if (this.#given.length === 0) worker.unref();
    });
    worker.on('error', (error) => this.#lose(error));
    return worker;
  }

  /** The next jobs get another thread. */
  #lose({ message }: Error): void {
    this.#worker = undefined;
    for (const { done } of this.#given.splice(0).flat()) settle(done, { message, code: undefined });
  }
}

/** That of this process. */
export const diskThread = new DiskThread();

let files = 0;

/** Names a file to the thread. */
export function fileNumber(): number {
  files += 1;
  return files;
}

/** Lets go of a file. Resolves when what was given so far is done, well or not; never rejects. */
export async function closeFile(disk: Disk, file: number): Promise<void> {
  disk.run({ do: 'close', file }).catch(() => {}); // what the disk has taken is there
  await disk.flush();
}

function settle({ resolve, reject }: Deferred<void>, outcome: DiskOutcome): void {
  if (outcome) reject(Object.assign(new Error(outcome.message), { code: outcome.code }));
  else resolve();
}
