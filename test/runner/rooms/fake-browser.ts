import { type Deferred, deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import type { OpenPage } from '../../../src/providers/daily/client/pages.js';
import type { RoomsBrowser } from '../../../src/runner/calls/rooms/rooms-driver.js';

/** A page that somebody has opened. */
export class FakePage implements OpenPage {
  readonly #gone = deferred();
  readonly gone = this.#gone.promise;
  isClosed = false;

  constructor(readonly url: string) {}

  close(): void {
    this.isClosed = true;
    this.#gone.resolve();
  }

  crash(): void {
    this.#gone.resolve();
  }
}

/** A browser that shows nothing. */
export class FakeBrowser implements RoomsBrowser {
  readonly pages: FakePage[] = [];
  readonly done: string[] = [];
  /** Why it does not start and opens no page. */
  problem: VoicebotError | undefined;
  /** Resolves when pages may open. */
  readonly ready: Deferred<void> = deferred();

  constructor(readonly maxPages = 20) {
    this.ready.resolve();
  }

  get pageCount(): number {
    return this.pages.filter(({ isClosed }) => !isClosed).length;
  }

  async start(): Promise<void> {
    this.done.push('start');
    if (this.problem) throw this.problem;
  }

  async open(url: string): Promise<FakePage> {
    if (this.problem) throw this.problem;
    await this.ready.promise;
    const page = new FakePage(url);
    this.pages.push(page);
    return page;
  }

  async close(): Promise<void> {
    this.done.push('close');
  }
}

export const noBrowser = () => new VoicebotError('VB_BROWSER_FAILED', 'there is none', { hint: 'install one' });
