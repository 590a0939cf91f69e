import { basicEnvironment } from '../../../base/process/basic-environment.js';
import { Browser } from './browser.js';
import type { Pages } from './pages.js';

let pages: Pages | undefined;

/** Says where pages of this process are opened. @param these undefined: where they are by default */
export function usePages(these: Pages | undefined): void {
  pages = these;
}

/** Where this process opens pages. Default: a browser of its own, which runs from its first page to its last. */
export function pagesOfThisProcess(): Pages {
  pages ??= ownBrowser();
  return pages;
}

/** A browser as the environment of this process wants it. Not started. */
export function ownBrowser(): Browser {
  const { VOICEBOT_BROWSER, VOICEBOT_BROWSER_PAGES, VOICEBOT_BROWSER_SANDBOX } = process.env;
  return new Browser({
    program: VOICEBOT_BROWSER || undefined,
    environment: basicEnvironment(process.env),
    maxPages: Number(VOICEBOT_BROWSER_PAGES) || undefined,
    isSandboxed: VOICEBOT_BROWSER_SANDBOX ? VOICEBOT_BROWSER_SANDBOX !== 'off' : undefined,
  });
}
