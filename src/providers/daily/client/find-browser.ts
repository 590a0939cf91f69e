import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { VoicebotError } from '../../../base/errors.js';

export interface BrowserSearch {
  /** Absolute path of a browser, or its name on the `PATH`. Default: a Chrome, Chromium or Edge, where they usually are. */
  readonly setting?: string | undefined;
  /** Whose `PATH` is looked at. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Whether a program stands at a path. Default: this machine is looked at. */
  readonly isProgram?: ((path: string) => boolean) | undefined;
}

/** The names of Chrome, Chromium and Edge on the `PATH`, the preferred ones first, and where they are without it. */
const ON_LINUX = [
  'google-chrome-stable',
  'google-chrome',
  '/opt/google/chrome/chrome',
  'chromium',
  'chromium-browser',
  '/usr/lib/chromium/chromium',
  '/snap/bin/chromium',
  'microsoft-edge-stable',
  'microsoft-edge',
  '/opt/microsoft/msedge/msedge',
];
const ON_MACOS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const ON_WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** What installs a browser. */
const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'sudo apt-get install chromium',
  darwin: 'brew install --cask google-chrome',
  win32: 'winget install Google.Chrome',
};

/**
 * @returns absolute path of the browser that pages are opened in
 * @throws VoicebotError VB_BROWSER_FAILED when there is none, or not where the setting says
 */
export function findBrowser({ setting, environment, platform = process.platform, ...more }: BrowserSearch): string {
  const { isProgram = isProgramHere } = more;
  const paths = platform === 'win32' ? win32 : posix;
  const folders = (environment.PATH ?? '').split(paths.delimiter).filter(paths.isAbsolute);
  const placesOf = (candidate: string) =>
    paths.isAbsolute(candidate) ? [candidate] : folders.map((folder) => paths.join(folder, candidate));
  const candidates = setting === undefined ? usualOn(platform) : namesOf(setting, platform);
  const found = candidates.flatMap(placesOf).find(isProgram);
  if (found !== undefined) return found;
  const install = INSTALL[platform];
  if (setting === undefined) {
    const command = install === undefined ? 'install one of them' : `install one: ${install}`;
    throw new VoicebotError(
      'VB_BROWSER_FAILED',
      'this machine has no Chrome, Chromium or Edge where they usually are',
      {
        hint: `${command}; or name one with VOICEBOT_BROWSER`,
      },
    );
  }
  const where = paths.isAbsolute(setting) ? 'no program is there' : 'no program of this name is on the PATH';
  throw new VoicebotError('VB_BROWSER_FAILED', `VOICEBOT_BROWSER is ${setting}, and ${where}`, {
    hint: 'set VOICEBOT_BROWSER to the absolute path of a Chrome, Chromium or Edge, or leave it out to have one found',
  });
}

/** On Windows a program is called without its extension. */
const namesOf = (setting: string, platform: NodeJS.Platform): string[] =>
  platform === 'win32' ? [setting, `${setting}.exe`] : [setting];

function usualOn(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    return ON_MACOS.flatMap((name) =>
      ['', homedir()].map((root) => `${root}/Applications/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    const folders = ['C:\\Program Files', 'C:\\Program Files (x86)', win32.join(homedir(), 'AppData', 'Local')];
    return ON_WINDOWS.flatMap((path) => folders.map((folder) => win32.join(folder, path)));
  }
  return ON_LINUX;
}

function isProgramHere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
