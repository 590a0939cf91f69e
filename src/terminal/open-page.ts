import type { ChildProcess } from 'node:child_process';
import type { Output } from './output.js';

/** Opens an address in the person's browser, and says so; when that fails it says where to go. */
export async function openPage(
  url: string,
  output: Output,
  open: (url: string) => Promise<ChildProcess> = openBrowser,
): Promise<void> {
  let isTold = false;
  const fail = () => {
    if (!isTold) output.warn(`No browser could be opened. Open the page yourself: ${url}`);
    isTold = true;
  };
  output.news(`Opening ${url} in your browser.`);
  try {
    const opener = await open(url);
    const ended = (code: number | null) => {
      if (code !== 0) fail();
    };
    opener.once('error', fail);
    // On Windows what opens browsers is waited for, so that it may have ended by now.
    if (opener.exitCode === null) opener.once('exit', ended);
    else ended(opener.exitCode);
  } catch {
    fail();
  }
}

async function openBrowser(url: string): Promise<ChildProcess> {
  const { default: open } = await import('open');
  return await open(url);
}
