import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../base/process/is-alive.js';

/** `voicebot-browser-<pid>-…`: of the process that has started the browser. */
const NAME = /^voicebot-browser-(\d+)-\w+$/;

/** What a browser that has just ended writes meanwhile comes in between: then the folder is not empty yet. */
const PATIENTLY = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;

/** Where a browser keeps all that it writes: its profile and its temporary files. Only this user can read it. */
export class BrowserFolder {
  readonly #path = mkdtempSync(join(tmpdir(), `voicebot-browser-${process.pid}-`));
  readonly profile = join(this.#path, 'profile');
  readonly temporary = join(this.#path, 'tmp');

  constructor() {
    for (const path of [this.profile, this.temporary]) mkdirSync(path);
  }

  /** Once the browser has ended. */
  async remove(): Promise<void> {
    await rm(this.#path, PATIENTLY);
  }

  /** When this process ends at once. */
  removeNow(): void {
    rmSync(this.#path, PATIENTLY);
  }
}

/** Removes what the browsers of processes have left that were killed. What cannot be removed stays. */
export async function removeLeftFolders(): Promise<void> {
  const left = readdirSync(tmpdir()).filter((name) => {
    const [, pid] = NAME.exec(name) ?? [];
    return pid !== undefined && !isAlive(Number(pid)) && isOurFolder(join(tmpdir(), name));
  });
  await Promise.allSettled(left.map((name) => rm(join(tmpdir(), name), PATIENTLY)));
}

/** Anybody may make a folder of such a name, or a link to a folder of ours. */
function isOurFolder(path: string): boolean {
  try {
    const entry = lstatSync(path);
    return entry.isDirectory() && entry.uid === (process.getuid?.() ?? entry.uid);
  } catch {
    return false; // another process has just removed it
  }
}
