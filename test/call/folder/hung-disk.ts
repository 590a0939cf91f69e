import { deferred } from '../../../src/base/async/deferred.js';
import type { DiskJob } from '../../../src/call/folder/disk-job.js';
import type { Disk } from '../../../src/call/folder/disk-thread.js';

/** A disk that does nothing until it goes on. */
export class HungDisk implements Disk {
  readonly #goesOn = deferred();

  constructor(private readonly disk: Disk) {}

  goOn(): void {
    this.#goesOn.resolve();
  }

  async run(job: DiskJob): Promise<void> {
    await this.#goesOn.promise;
    await this.disk.run(job);
  }
}
