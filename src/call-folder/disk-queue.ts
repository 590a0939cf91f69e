import { write } from 'node:fs';

/**
 * What a process writes to call folders, one thing after the other: a disk that hangs keeps one of Node's few threads, and the
 * others go on. Who adds to it keeps in bounds what waits.
 */
export class DiskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as `work` does, which begins when everything added before is done. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** That of this process. */
export const diskQueue = new DiskQueue();

/**
 * Writes all of the bytes.
 * @param position in the file; default: where it ends, for a file opened to append
 * @throws the system's error; a part may have been written then
 */
export async function writeAll(file: number, bytes: Uint8Array, position: number | null = null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const at = position === null ? null : position + done;
    done += await writeSome(file, bytes, done, at);
  }
}

function writeSome(file: number, bytes: Uint8Array, offset: number, position: number | null): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, offset, bytes.length - offset, position, (error, written) =>
      error ? reject(error) : resolve(written),
    );
  });
}
