import { EventEmitter } from 'node:events';
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { contentOf } from './bot-source.js';

/** How long files must be left alone before a look is worth it, in milliseconds: editors save in several steps. */
const SETTLE_MS = 100;
/** How often the files are looked at unasked, in milliseconds: some network and container folders announce nothing. */
const LOOK_EVERY_MS = 2_000;

export interface BotWatchEvents {
  /**
   * @param file the first file that is not as it was read; @param noticedAt `performance.now()` of the first sign of it;
   * @param seen what is in all files now
   */
  change: [file: string, noticedAt: number, seen: ReadonlyMap<string, string | undefined>];
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: number;
  /** What in the folder is of interest. */
  names: Set<string>;
}

/**
 * Notices when files are no longer what they were. Watches their folders, since editors replace a file more often than
 * they write into it, and compares contents, so that a save that changes nothing is none.
 */
export class BotWatch extends EventEmitter<BotWatchEvents> {
  #known: ReadonlyMap<string, string | undefined> = new Map();
  readonly #folders = new Map<string, Watched>();
  #settling: NodeJS.Timeout | undefined;
  #noticedAt: number | undefined;
  readonly #looking: NodeJS.Timeout;
  #isClosed = false;

  /** @param read gives what is in a file; undefined when it is not there */
  constructor(
    lookEveryMs = LOOK_EVERY_MS,
    private readonly read: (file: string) => string | undefined = contentOf,
  ) {
    super();
    this.#looking = setInterval(() => this.#lookSoon(), lookEveryMs).unref();
  }

  /** From now on these files are watched. @param known what was in each when it was read; `undefined` when it was not there */
  follow(known: ReadonlyMap<string, string | undefined>): void {
    if (this.#isClosed) return;
    this.#known = new Map(known);
    this.#watchFolders();
    this.#lookSoon(); // what was saved between the reading and now has not been seen
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    clearTimeout(this.#settling);
    for (const folder of [...this.#folders.keys()]) this.#unwatch(folder);
  }

  /** A file of a folder that is not there shows with the first part of its path that comes to be. */
  #watchFolders(): void {
    const wanted = new Map<string, Set<string>>();
    for (const file of this.#known.keys()) {
      let path = file;
      while (!existsSync(dirname(path)) && dirname(path) !== path) path = dirname(path);
      const folder = dirname(path);
      wanted.set(folder, (wanted.get(folder) ?? new Set([basename(folder)])).add(basename(path)));
    }
    for (const [folder, { inode }] of [...this.#folders]) {
      if (!wanted.has(folder) || inodeOf(folder) !== inode) this.#unwatch(folder);
    }
    for (const [folder, names] of wanted) {
      const watched = this.#folders.get(folder);
      if (watched) watched.names = names;
      else this.#watch(folder, names);
    }
  }

  #watch(folder: string, names: Set<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || this.#folders.get(folder)?.names.has(name)) this.#notice();
      });
      watcher.on('error', () => this.#unwatch(folder)); // from then on it is only looked at
      this.#folders.set(folder, { watcher, inode: inodeOf(folder) ?? 0, names });
    } catch {
      // The system has no watch to give, or the folder has gone: it is only looked at.
    }
  }

  #unwatch(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }

  #notice(): void {
    this.#noticedAt ??= performance.now();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#look(), SETTLE_MS).unref();
  }

  /** At once, unless files are being saved: then when that is done. */
  #lookSoon(): void {
    if (this.#noticedAt === undefined) this.#look();
  }

  #look(): void {
    if (this.#isClosed) return;
    const noticedAt = this.#noticedAt ?? performance.now();
    this.#noticedAt = undefined;
    this.#watchFolders(); // a folder may have been replaced
    const seen = new Map([...this.#known.keys()].map((file) => [file, this.read(file)]));
    const changed = [...seen].find(([file, content]) => this.#known.get(file) !== content);
    this.#known = seen; // each change is told once
    if (changed) this.emit('change', changed[0], noticedAt, seen);
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
