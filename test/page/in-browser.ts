import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

export const hasBrowser = existsSync(CHROMIUM);
export const describeWithBrowser = hasBrowser ? describe : describe.skip;

/** Opens one browser for the tests of a `describe`, and closes it behind them. @returns the browser, while they run */
export function sharedBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--mute-audio', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  }, 30_000);
  afterAll(() => browser.close());
  return () => browser;
}
