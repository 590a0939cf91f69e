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
    opener.once('error', fail);
    opener.once('exit', (code) => {
      if (code !== 0) fail();
    });
  } catch {
    fail();
  }
}

async function openBrowser(url: string): Promise<ChildProcess> {
  const { default: open } = await import('open');
  return await open(url);
}
