import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../base/logger.js';
import { isGone, type ProcessIdentity, thisProcess } from '../../base/process/process-identity.js';
import { fingerprintOf } from '../../base/secret.js';
import type { CallId } from '../../call/call-id.js';
import { OutboxFile, type OutboxFileListener } from './outbox-file.js';

/** Most that the events of one runner take on the disk, in bytes. Beyond it the calls that are over and oldest lose theirs. */
const MAX_BYTES = 128 * 2 ** 20;
/** What a file takes beside what is written in it, in bytes. */
const FILE_BYTES = 4_096;
/** A runner that cannot be seen from here, on another machine or in another container, is gone when it has not shown itself for this long. */
const UNSEEN_MS = 180_000;
/** What no runner has delivered in this time, none will: its receiver is not used any more. */
const FORGOTTEN_MS = 3 * 24 * 60 * 60 * 1_000;
/** Calls that are read at once: nothing else is done meanwhile. */
export const ADOPTED_AT_ONCE = 500;
const OWNER = 'owner.json';

/** Which runner delivers the events of a folder. */
interface FolderOwner extends ProcessIdentity {
  readonly version: 1;
  /** It has stopped, and has left what is there to the next. */
  readonly isReleased?: boolean;
}

export interface EventJournalOptions {
  readonly stateDirectory: string;
  /** Where the events go: what is meant for one receiver is never sent to another. */
  readonly url: string;
  readonly logger: Logger;
  /** Default: 128 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * Events on disk, in `events/<receiver>/<runner>/<call>.ndjson`. A folder belongs to one runner; what a runner that is gone has
 * left goes to the one of the same receiver that moves the file first.
 */
export class EventJournal {
  readonly #receiver: string;
  readonly #own: string;
  readonly #files = new Set<OutboxFile>();
  readonly #listener: OutboxFileListener;
  #bytes = 0;
  #hasFailed = false;
  #isFull = false;

  constructor(private readonly options: EventJournalOptions) {
    this.#receiver = join(options.stateDirectory, 'events', fingerprintOf(options.url));
    this.#own = join(this.#receiver, randomBytes(8).toString('hex'));
    this.#listener = {
      grew: (bytes) => {
        this.#bytes += bytes;
      },
      failed: (error) => this.#fail(error),
    };
  }

  /** Events that are not accepted yet. */
  get count(): number {
    let count = 0;
    for (const file of this.#files) count += file.count;
    return count;
  }

  /** For a call that begins. */
  open(): OutboxFile {
    this.#try(() => this.#makeFolder());
    return this.#add(
      new OutboxFile(join(this.#own, `${Date.now()}-${randomBytes(8).toString('hex')}.ndjson`), this.#listener),
    );
  }

  /**
   * Takes what runners that are gone have left for this receiver, {@link ADOPTED_AT_ONCE} calls at most: the newest first, which may
   * still go on.
   */
  adopt(): OutboxFile[] {
    const folders = this.#abandoned(this.#receiver);
    const left = folders.flatMap((folder) => namesIn(folder).map((name) => ({ folder, name })));
    const newest = left
      .filter(({ name }) => name.endsWith('.ndjson'))
      .toSorted((one, other) => (one.name < other.name ? 1 : -1))
      .slice(0, ADOPTED_AT_ONCE);
    const adopted = newest.flatMap(({ folder, name }) => this.#take(join(folder, name), name));
    for (const folder of folders) if (namesIn(folder).every((name) => name === OWNER)) this.#remove(folder);
    this.#removeForgotten();
    return adopted;
  }

  /** Others see by this that the runner is there. */
  show(): void {
    try {
      utimesSync(join(this.#own, OWNER), new Date(), new Date());
    } catch {
      // nothing has been written yet
    }
  }

  /** What was said in these calls is not to be kept. */
  forgetTalk(ids: ReadonlySet<CallId>): void {
    for (const file of this.#files) if (file.record && ids.has(file.record.id)) file.forgetTalk();
  }

  /** The events of a call are not needed any more. */
  forget(file: OutboxFile): void {
    if (!this.#files.delete(file)) return;
    this.#bytes -= file.bytes + FILE_BYTES;
    file.remove();
  }

  forgetAll(): void {
    for (const file of this.#files) this.forget(file);
  }

  /** Leaves what is there to the next runner. */
  release(): void {
    if (this.#files.size === 0) this.#remove(this.#own);
    else this.#try(() => writeFileSync(join(this.#own, OWNER), ownerText({ isReleased: true }), { mode: 0o600 }));
  }

  #add(file: OutboxFile): OutboxFile {
    this.#files.add(file);
    this.#bytes += FILE_BYTES;
    const { maxBytes = MAX_BYTES } = this.options;
    while (this.#bytes > maxBytes) {
      const oldest = [...this.#files].find(({ hasEnded }) => hasEnded);
      if (!oldest) break;
      this.forget(oldest);
      if (!this.#isFull)
        this.options.logger.warn('too many events wait: those of the oldest calls are dropped', { maxBytes });
      this.#isFull = true;
    }
    return file;
  }

  #remove(folder: string): void {
    this.#try(() => rmSync(folder, { recursive: true, force: true }));
  }

  #take(path: string, name: string): OutboxFile[] {
    try {
      this.#makeFolder();
      const own = join(this.#own, name);
      renameSync(path, own); // fails for all but one
      return [this.#add(OutboxFile.read(own, this.#listener))];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error);
      return [];
    }
  }

  /** Another runner sees the folder with its owner or not at all. Again for each call: what cleans up old files may have removed it. */
  #makeFolder(): void {
    if (statSync(join(this.#own, OWNER), { throwIfNoEntry: false })) return;
    const draft = `${this.#own}.draft`;
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    writeFileSync(join(draft, OWNER), ownerText({}), { mode: 0o600 });
    renameSync(draft, this.#own);
  }

  /** Folders of runners that are gone. */
  #abandoned(receiver: string): string[] {
    return namesIn(receiver)
      .map((name) => join(receiver, name))
      .filter((folder) => folder !== this.#own && isAbandoned(folder));
  }

  /** Of receivers to which no runner sends any more. */
  #removeForgotten(): void {
    const all = join(this.#receiver, '..');
    for (const receiver of namesIn(all).map((name) => join(all, name))) {
      if (receiver === this.#receiver) continue;
      for (const folder of this.#abandoned(receiver)) {
        if (Date.now() - changedAt(folder) > FORGOTTEN_MS) this.#remove(folder);
      }
      try {
        rmdirSync(receiver); // when it is empty
      } catch {}
    }
  }

  /** A full disk must keep neither a call from being served nor its events from being delivered. */
  #try(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) {
      this.options.logger.warn('events cannot be written down: those not delivered are lost when this runner ends', {
        error,
      });
    }
    this.#hasFailed = true;
  }
}

const ownerText = (more: Pick<FolderOwner, 'isReleased'>) =>
  JSON.stringify({ version: 1, ...thisProcess(), ...more } satisfies FolderOwner);

/** None when there is no folder, or nothing in it. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Milliseconds since the epoch; now when it is gone, or another user's. */
function changedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Date.now();
  }
}

function isAbandoned(folder: string): boolean {
  const shownAt = changedAt(join(folder, OWNER));
  const owner = readOwner(folder);
  if (!owner) return Date.now() - changedAt(folder) > UNSEEN_MS;
  return owner.isReleased || (isGone(owner, shownAt) ?? Date.now() - shownAt > UNSEEN_MS);
}

function readOwner(folder: string): FolderOwner | undefined {
  try {
    const owner: Partial<FolderOwner> | null = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'));
    const isWhole = owner?.version === 1 && Number(owner.pid) > 0 && typeof owner.host === 'string';
    return isWhole ? (owner as FolderOwner) : undefined;
  } catch {
    return undefined;
  }
}
