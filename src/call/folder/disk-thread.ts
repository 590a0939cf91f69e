import { Worker } from 'node:worker_threads';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { DiskJob, DoneJob, NumberedJob } from './disk-job.js';

/** Who writes to call folders. */
export interface Disk {
  /** Rejects with the system's error; a part may have been written then. */
  run(job: DiskJob): Promise<void>;
}

interface GivenJob {
  readonly done: Deferred<void>;
  /** The process waits for it: not for a file that is open. */
  readonly isAwaited: boolean;
}

/**
 * A thread that writes to the call folders of all calls of this process: a disk that is slow or hangs keeps nobody but it waiting.
 * It starts with the first job, and keeps the process alive only while something is to be flushed, closed or replaced.
 */
export class DiskThread implements Disk {
  readonly #given = new Map<number, GivenJob>();
  #number = 0;
  #worker: Worker | undefined;

  constructor(private readonly script = new URL('./disk-worker.js', import.meta.url)) {}

  run(job: DiskJob): Promise<void> {
    const done = deferred<void>();
    this.#number += 1;
    this.#given.set(this.#number, { done, isAwaited: job.do !== 'record' && job.do !== 'add_events' });
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ number: this.#number, job } satisfies NumberedJob);
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

  #settle({ number, problem }: DoneJob): void {
    const { done } = this.#given.get(number) ?? {};
    this.#given.delete(number);
    if (problem) done?.reject(Object.assign(new Error(problem.message), { code: problem.code }));
    else done?.resolve();
    this.#keepAlive();
  }

  #keepAlive(): void {
    if ([...this.#given.values()].some(({ isAwaited }) => isAwaited)) this.#worker?.ref();
    else this.#worker?.unref();
  }

  /** The next jobs get another thread. What this one was given has failed once it has ended: until then it may read what it shares. */
  #lose({ message }: Error): void {
    const lost = [...this.#given.keys()];
    const ended = this.#worker?.terminate() ?? Promise.resolve();
    this.#worker = undefined;
    void ended.finally(() => {
      for (const number of lost) this.#settle({ number, problem: { message, code: undefined } });
    });
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
