import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../../../src/providers/daily/client/browser.js';

/** A browser that does not work, in its stead: a shell script. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voicebot-program-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function browserDoing(script: string, startLimitMs = 10_000): Browser {
  const program = join(folder, 'chromium');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return new Browser({ program, environment: { PATH: process.env.PATH ?? '' }, startLimitMs });
}

const foldersOfOurs = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`voicebot-browser-${process.pid}-`));

const BLANK = 'http://127.0.0.1:9/';

describe('a browser that does not start is told, with its last words and what to do:', () => {
  test.each([
    [
      'it has no sandbox',
      'echo "[1:1:ERROR] No usable sandbox!" >&2; exit 1',
      'has ended with code 1',
      /VOICEBOT_BROWSER_SANDBOX=off/,
    ],
    [
      'it lacks a library',
      'echo "error while loading shared libraries: libnss3.so" >&2; exit 127',
      'code 127',
      /libraries/,
    ],
    ['it is no browser', 'echo "usage: something" >&2; exit 2', 'usage: something', /set VOICEBOT_BROWSER/],
    ['it is killed', 'kill -9 $$', 'signal SIGKILL', /set VOICEBOT_BROWSER/],
  ])('%s', async (_, script, message, hint) => {
    const browser = browserDoing(script);
    const failure = {
      code: 'VB_BROWSER_FAILED',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(hint),
    };
    await expect(browser.start()).rejects.toMatchObject(failure);
    await expect(browser.open(BLANK)).rejects.toMatchObject(failure);
    expect(browser.pageCount).toBe(0);
    expect(foldersOfOurs()).toEqual([]);
  });

  test('it does not obey within its time', async () => {
    const browser = browserDoing('echo "I am thinking" >&2; exec sleep 1000', 300);
    await expect(browser.start()).rejects.toMatchObject({
      code: 'VB_BROWSER_FAILED',
      message: expect.stringMatching(/has not started within 300 ms.*I am thinking/s),
    });
    expect(foldersOfOurs()).toEqual([]); // which is removed when it has ended
  });

  test('what it has written is safe to show, and cut', async () => {
    const browser = browserDoing(`for i in 1 2 3 4 5 6 7; do printf '\\033[31mline %s\\n' $i >&2; done; exit 1`);
    const { message } = await browser.start().then(
      () => ({ message: '' }),
      (error: Error) => error,
    );
    expect(message).toContain('\nline 3\nline 4\nline 5\nline 6\nline 7');
    expect(message).not.toContain('line 2');
  });
});

test('a browser that is not there fails the open that needs it', async () => {
  const browser = new Browser({ program: '/nowhere/chrome', environment: {} });
  await expect(browser.open(BLANK)).rejects.toMatchObject({ code: 'VB_BROWSER_FAILED' });
});

test.each([
  'https://127.0.0.1/',
  'http://example.com/',
  'http://127.0.0.1.example.com/',
  'http://user@example.com/?http://127.0.0.1/',
  'file:///etc/passwd',
  'chrome://settings',
  'javascript:alert(1)',
  'not an address',
])('only what this machine serves is opened: %s', async (url) => {
  const browser = browserDoing('exit 1');
  await expect(browser.open(url)).rejects.toMatchObject({
    code: 'VB_BROWSER_FAILED',
    message: expect.stringContaining('pages of this machine only'),
  });
});
