/** A thread that writes to call folders: see {@link DiskThread}. */
import { parentPort } from 'node:worker_threads';
import type { DiskJob, DiskOutcome } from './disk-job.js';
import { OpenFiles } from './open-files.js';

const files = new OpenFiles();

parentPort?.on('message', (jobs: readonly DiskJob[]) => {
  const outcomes = jobs.map((job): DiskOutcome => {
    try {
      files.carryOut(job);
      return undefined;
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { message, code };
    }
  });
  parentPort?.postMessage(outcomes);
});
