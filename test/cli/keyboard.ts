import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';

/** A terminal's keyboard whose keys the test presses. */
export class Keyboard extends PassThrough {
  isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  /** Presses keys, each by itself. */
  async type(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.write(key);
      await new Promise((resolve) => setImmediate(resolve)); // otherwise they arrive together, as what is pasted does
    }
  }

  get asStream(): ReadStream {
    return this as unknown as ReadStream;
  }
}

/** A terminal's screen. */
export class Screen extends PassThrough {
  isTTY = true;
  columns = 80;
  shown = '';

  constructor() {
    super();
    this.on('data', (data) => {
      this.shown += String(data);
    });
  }
}
