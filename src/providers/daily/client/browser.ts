import { VoicebotError } from '../../../base/errors.js';
import { type Logger, silentLogger } from '../../../base/logger.js';
import { removeLeftFolders } from './browser-folder.js';
import { findBrowser } from './find-browser.js';
import { DEFAULT_PAGES, type OpenPage, type Pages } from './pages.js';
import { importPuppeteer, RunningBrowser } from './running-browser.js';

/** Longest a browser may take to start, in milliseconds. */
const START_LIMIT_MS = 15_000;
/** How often in a row a browser that is kept is started again at once, without having opened a page in between. */
const RESTARTS = 3;

export interface BrowserOptions {
  /** Absolute path of a browser, or its name on the `PATH`. Default: a Chrome, Chromium or Edge, where they usually are. */
  readonly program?: string | undefined;
  /** What it is started with, and whose `PATH` it is looked for on: nothing that others may not see. */
  readonly environment: Readonly<Record<string, string>>;
  /** Most pages at once, 1 or more. Default 20. */
  readonly maxPages?: number | undefined;
  /** Whether its pages run in a sandbox of the system. Default: unless this process is root's, which cannot have one. */
  readonly isSandboxed?: boolean | undefined;
  /** Default: writes nothing. */
  readonly logger?: Logger | undefined;
  /** Longest it may take to start, in milliseconds. Default 15 000. */
  readonly startLimitMs?: number | undefined;
}

/**
 * A browser of this machine, without a window. It is started when a page is opened, unless it was started before; one that has ended
 * by itself is started again. One that was not {@link start}ed ends with its last page.
 */
export class Browser implements Pages {
  readonly maxPages: number;
  #running: Promise<RunningBrowser> | undefined;
  /** Pages that are open, and those that are being opened. */
  #pageCount = 0;
  #isKept = false;
  /** Ends in a row, without a page in between. */
  #failures = 0;
  /** Ends of browsers that are to end, and the removal of what others have left. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: BrowserOptions) {
    this.maxPages = options.maxPages ?? DEFAULT_PAGES;
  }

  /** Pages that are open, and those that are being opened. */
  get pageCount(): number {
    return this.#pageCount;
  }

  /**
   * Starts it and keeps it running until it is closed. Safe to call twice.
   * @throws VoicebotError VB_BROWSER_FAILED
   */
  async start(): Promise<void> {
    this.#isKept = true;
    await this.#start();
  }

  async open(url: string): Promise<OpenPage> {
    if (!isServedHere(url)) throw new VoicebotError('VB_BROWSER_FAILED', 'it opens pages of this machine only');
    if (this.#pageCount >= this.maxPages) {
      throw new VoicebotError('VB_BROWSER_FAILED', `it has ${this.maxPages} pages open, as many as it may have`, {
        hint: 'allow it more with VOICEBOT_BROWSER_PAGES',
      });
    }
    this.#pageCount += 1;
    try {
      const page = await this.#open(url);
      this.#failures = 0;
      void page.gone.then(() => this.#pageGone());
      return page;
    } catch (error) {
      this.#pageGone();
      throw error;
    }
  }

  /** Ends it, and all pages with it. Resolves when nothing of it is left. A page that is opened later starts it again. */
  async close(): Promise<void> {
    this.#isKept = false;
    this.#end();
    await this.#ending;
    await removeLeftFolders().catch(() => {}); // a browser that was still ending when this one started has ended by now
  }

  /** A browser that turns out to have just ended is replaced. */
  async #open(url: string, isLastTry = false): Promise<OpenPage> {
    const running = await this.#start();
    try {
      return await running.open(url);
    } catch (error) {
      if (isLastTry || !running.hasExited) throw error;
      await running.exited; // after which it is not the one that runs
      return this.#open(url, true);
    }
  }

  #start(): Promise<RunningBrowser> {
    if (this.#running) return this.#running;
    const running = this.#launch();
    this.#running = running;
    running.then(
      (browser) => void browser.exited.then((how) => this.#onExited(running, browser, how)),
      () => {
        if (this.#running === running) this.#running = undefined; // the code that has started it is told
      },
    );
    return running;
  }

  async #launch(): Promise<RunningBrowser> {
    const { program: setting, environment, startLimitMs = START_LIMIT_MS, logger = silentLogger } = this.options;
    const { isSandboxed = process.getuid?.() !== 0 } = this.options;
    const puppeteer = await importPuppeteer();
    const program = findBrowser({ setting, environment });
    logger.debug('starting the browser that joins rooms', { program, isSandboxed });
    const swept = removeLeftFolders().catch(() => {}); // what is left stays
    this.#ending = Promise.all([this.#ending, swept]); // a caller who waits for a page does not wait for that
    return RunningBrowser.start(puppeteer, { program, environment, isSandboxed }, startLimitMs);
  }

  #onExited(running: Promise<RunningBrowser>, { removed }: RunningBrowser, how: string): void {
    if (this.#running !== running) return; // it was to end
    this.#running = undefined;
    this.#ending = Promise.all([this.#ending, removed]);
    this.#failures += 1;
    const isStartedAgain = this.#isKept && this.#failures <= RESTARTS;
    const { logger = silentLogger } = this.options;
    logger.warn('the browser that joins rooms has ended', { how, isStartedAgain });
    if (isStartedAgain) this.#start().catch((error: unknown) => logger.warn('it does not start again', { error }));
  }

  #pageGone(): void {
    this.#pageCount -= 1;
    if (this.#pageCount === 0 && !this.#isKept) this.#end();
  }

  #end(): void {
    const running = this.#running;
    this.#running = undefined;
    const ended = running?.then((browser) => browser.close()).catch(() => {}); // it has not started
    this.#ending = Promise.all([this.#ending, ended]);
  }
}

/** Our pages come from this machine, and nothing else is to be opened. */
function isServedHere(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'http:' && url.hostname === '127.0.0.1';
}
