/** A thread that writes to call folders: see {@link DiskThread}. */
import { parentPort } from 'node:worker_threads';
import type { NumberedJob } from './disk-job.js';
import { OpenFiles } from './open-files.js';

/** How often it is looked what is to be written, in milliseconds: nobody is woken for it. What waits is lost when the process is killed. */
const LOOK_EVERY_MS = 100;

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
  files.run(job);
  lookWhileNeeded();
});
