import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserSearch, findBrowser } from '../../../../src/providers/daily/client/find-browser.js';

const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Two folders of a `PATH`, with programs that do nothing. */
let first: string;
let second: string;
let PATH: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'voicebot-path-'));
  first = join(root, 'first');
  second = join(root, 'second');
  for (const folder of [first, second]) mkdirSync(folder);
  PATH = [first, second].join(delimiter);
});
afterEach(() => rmSync(join(first, '..'), { recursive: true, force: true }));

function program(folder: string, name: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

/** Looks on a machine that has these programs only. */
const among = (programs: readonly string[], search: Omit<BrowserSearch, 'environment'> = {}) =>
  findBrowser({ environment: { PATH }, platform: 'linux', isProgram: (path) => programs.includes(path), ...search });

test('takes the program that the setting names on the PATH, or by its path', () => {
  const named = program(second, 'my-browser');
  program(first, 'chromium');
  expect(findBrowser({ setting: 'my-browser', environment: { PATH } })).toBe(named);
  expect(findBrowser({ setting: named, environment: {} })).toBe(named);
});

test.each([
  ['a name', 'no-such-browser', 'no program of this name is on the PATH'],
  ['a path', '/nowhere/chrome', 'no program is there'],
])('a setting that points to nothing says so, and no other browser is taken: %s', (_, setting, problem) => {
  program(first, 'chromium');
  expect(() => findBrowser({ setting, environment: { PATH } })).toThrow(
    expect.objectContaining({
      code: 'VB_BROWSER_FAILED',
      message: expect.stringContaining(`VOICEBOT_BROWSER is ${setting}, and ${problem}`),
      hint: expect.stringContaining('absolute path'),
    }),
  );
});

test('leaves out what is no program: a folder, and a file that may not be run', () => {
  mkdirSync(join(first, 'my-browser'));
  program(second, 'other-browser', 0o644);
  for (const setting of ['my-browser', 'other-browser']) {
    expect(() => findBrowser({ setting, environment: { PATH } })).toThrow('no program of this name is on the PATH');
  }
});

test('does not look in the working directory, whatever the PATH says', () => {
  expect(() => findBrowser({ setting: 'package.json', environment: { PATH: '.' }, isProgram: () => true })).toThrow(
    'no program of this name',
  );
});

test('takes Chrome before Chromium before Edge', () => {
  const [edge, chromium, chrome] = ['microsoft-edge', 'chromium', 'google-chrome'].map((name) => join(first, name));
  expect(among([edge, chromium, chrome] as string[])).toBe(chrome);
  expect(among([edge, chromium] as string[])).toBe(chromium);
  expect(among([edge] as string[])).toBe(edge);
});

test.each<[NodeJS.Platform, string]>([
  ['linux', '/opt/google/chrome/chrome'],
  ['linux', '/snap/bin/chromium'],
  ['linux', '/opt/microsoft/msedge/msedge'],
  ['darwin', MAC_CHROME],
  ['darwin', `${homedir()}${MAC_CHROME}`],
  ['darwin', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
  ['win32', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
  ['win32', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
])('knows where browsers are that are not on the PATH: %s, %s', (platform, path) => {
  expect(among([path], { platform })).toBe(path);
});

test('a name on the PATH of Windows goes without its extension', () => {
  const isProgram = (path: string) => path === 'D:\\tools\\chrome.exe';
  const search: BrowserSearch = { environment: { PATH: 'C:\\Windows;D:\\tools' }, platform: 'win32', isProgram };
  expect(findBrowser({ ...search, setting: 'chrome' })).toBe('D:\\tools\\chrome.exe');
});

test.each<[NodeJS.Platform, string]>([
  ['linux', 'sudo apt-get install chromium'],
  ['darwin', 'brew install --cask google-chrome'],
  ['win32', 'winget install Google.Chrome'],
  ['freebsd', 'install one of them'],
])('on %s without a browser, says what mends it: %s', (platform, command) => {
  expect(() => among([], { platform })).toThrow(
    expect.objectContaining({
      code: 'VB_BROWSER_FAILED',
      message: expect.stringContaining('no Chrome, Chromium or Edge'),
      hint: expect.stringContaining(command),
    }),
  );
  expect(() => among([], { platform })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('VOICEBOT_BROWSER') }),
  );
});
