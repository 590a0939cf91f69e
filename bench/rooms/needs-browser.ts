import { findBrowser } from '../../src/providers/daily/client/find-browser.js';
import { MissingProgram } from '../missing-program.js';

/** @throws MissingProgram where this machine has no browser that rooms can be joined through */
export function needsBrowser(): void {
  try {
    findBrowser({ setting: process.env.VOICEBOT_BROWSER, environment: process.env });
  } catch {
    throw new MissingProgram('Chrome, Chromium or Edge');
  }
}
