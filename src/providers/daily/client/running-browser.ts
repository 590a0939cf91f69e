import type { Browser as ControlledBrowser, PuppeteerNode } from 'puppeteer-core';
import { settlesWithin, withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { VoicebotError } from '../../../base/errors.js';
import { importOptionalPackage } from '../../../base/optional-package.js';
import { BrowserProcess, type BrowserProcessOptions } from './browser-process.js';
import type { OpenPage } from './pages.js';

/** How long a browser may take to do what it is told, in milliseconds. */
const OBEY_LIMIT_MS = 15_000;
/** How long it may take to end by itself, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

/** One run of a browser, from its start to its end. */
export class RunningBrowser {
  /** Pages that are not there yet. */
  readonly #opening = new Set<Promise<unknown>>();

  private constructor(
    private readonly process: BrowserProcess,
    private readonly browser: ControlledBrowser,
  ) {
    // A window that a page opens.
    browser.on('targetcreated', (target) => {
      if (!target.opener()) return;
      const page = target.page();
      page.then((window) => window?.close()).catch(() => {}); // it is gone already
    });
  }

  /**
   * @param limitMs longest it may take until it obeys, in milliseconds
   * @throws VoicebotError VB_BROWSER_FAILED; nothing is left then
   */
  static async start(
    puppeteer: PuppeteerNode,
    options: BrowserProcessOptions,
    limitMs: number,
  ): Promise<RunningBrowser> {
    const started = new BrowserProcess(options);
    const late = () => new Error(`has not started within ${limitMs} ms`);
    try {
      return new RunningBrowser(started, await withDeadline(connect(puppeteer, started), limitMs, late));
    } catch (error) {
      const problem = started.exit === undefined ? (error as Error).message : `has ended with ${started.exit}`;
      started.kill();
      await started.removed;
      throw notStarted(options.program, problem, started.lastWords);
    }
  }

  get hasExited(): boolean {
    return this.process.exit !== undefined;
  }

  /** Resolves when it has ended, with how. */
  get exited(): Promise<string> {
    return this.process.exited;
  }

  /** Resolves when nothing of it is left. */
  get removed(): Promise<void> {
    return this.process.removed;
  }

  /** @throws VoicebotError VB_BROWSER_FAILED */
  async open(url: string): Promise<OpenPage> {
    const opening = this.browser.newPage();
    this.#opening.add(opening);
    const page = await opening
      .catch((error: Error) => {
        throw new VoicebotError('VB_BROWSER_FAILED', `it opens no page: ${error.message}`, { cause: error });
      })
      .finally(() => this.#opening.delete(opening));
    const gone = deferred();
    const close = () => {
      gone.resolve();
      page.close().catch(() => {}); // it is closed already
    };
    page.once('close', close);
    page.once('error', close); // it has crashed
    this.browser.once('disconnected', close);
    void gone.promise.then(() => this.browser.off('disconnected', close));
    page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}));
    page.goto(url, { waitUntil: [], timeout: 0 }).catch(close); // it shows nothing of ours
    return { gone: gone.promise, close };
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    // A page that is being opened while the browser ends would keep this process alive for half a minute.
    await settlesWithin(Promise.allSettled(this.#opening), CLOSE_LIMIT_MS);
    this.browser.close().catch(() => {}); // it does not answer any more
    if (!(await settlesWithin(this.exited, CLOSE_LIMIT_MS))) this.process.kill();
    await this.removed;
  }
}

/** @throws VoicebotError VB_BROWSER_FAILED when the package is missing */
export async function importPuppeteer(): Promise<PuppeteerNode> {
  try {
    const { default: puppeteer } = (await importOptionalPackage('puppeteer-core')) as { default: PuppeteerNode };
    return puppeteer;
  } catch (error) {
    const { message } = error as Error;
    const isMissing = message.startsWith("Cannot find package 'puppeteer-core'");
    const problem = isMissing ? 'is not installed' : `cannot be loaded: ${message}`;
    throw new VoicebotError('VB_BROWSER_FAILED', `puppeteer-core ${problem}`, {
      hint: 'npm install @daily-co/daily-js puppeteer-core',
      cause: error,
    });
  }
}

async function connect(puppeteer: PuppeteerNode, { transport }: BrowserProcess): Promise<ControlledBrowser> {
  const browser = await puppeteer.connect({
    transport,
    protocolTimeout: OBEY_LIMIT_MS,
    defaultViewport: null,
    downloadBehavior: { policy: 'deny' },
    // Otherwise each message of each WebSocket of a page came here as well: all of a call's audio.
    networkEnabled: false,
    issuesEnabled: false,
  });
  const session = await browser.target().createCDPSession();
  await session.send('Browser.grantPermissions', { permissions: [] }); // denies all others, everywhere
  return browser;
}

/** What to do about a browser that does not start, by what it has written. */
const HINTS: ReadonlyArray<readonly [words: RegExp, hint: string]> = [
  [
    /no usable sandbox|running as root without --no-sandbox/i,
    'let programs of this user have sandboxes (unprivileged user namespaces), or do without: VOICEBOT_BROWSER_SANDBOX=off',
  ],
  [
    /error while loading shared libraries/i,
    'install the libraries that it lacks, or another browser, and set VOICEBOT_BROWSER',
  ],
];

function notStarted(program: string, problem: string, lastWords: string): VoicebotError {
  const [, hint = 'try another browser: set VOICEBOT_BROWSER'] = HINTS.find(([words]) => words.test(lastWords)) ?? [];
  const said = lastWords === '' ? '' : `; it has written last:\n${lastWords}`;
  return new VoicebotError('VB_BROWSER_FAILED', `${program} ${problem}${said}`, { hint });
}
