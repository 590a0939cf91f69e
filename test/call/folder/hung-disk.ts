import { deferred } from '../../../src/base/async/deferred.js';
import type { WordTimes } from '../../../src/call/disclosure.js';
import type { Disk, DiskJob } from '../../../src/call/folder/disk-thread.js';

/** A disk that does nothing until it goes on. */
export class HungDisk implements Disk {
  readonly #goesOn = deferred();

  constructor(private readonly disk: Disk) {}

  goOn(): void {
    this.#goesOn.resolve();
  }

  async run(job: DiskJob): Promise<WordTimes | undefined> {
    await this.#goesOn.promise;
    return this.disk.run(job);
  }
}
