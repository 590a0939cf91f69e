import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, silentLogger } from '../../base/logger.js';
import type { NumberRouting, RouteUrls } from '../../call/number-routing.js';
import { createFile, isDraftOf, replaceFile, withFileLock } from './durable-file.js';
import { accountNameOf, type LeaseAccount, type LeaseEntry, leaseNameOf, readLeaseEntry } from './lease-entry.js';
import { type IsLive, isOrphan } from './lease-liveness.js';
import type { LeaseStore, LockWait } from './lease-store.js';
import { refuseNewer } from './newer-state.js';

/** The numbers that this user's runners have pointed at themselves, one file each, to be put back even after a crash. */
export class LeaseJournal implements LeaseStore {
  /** Files that could not be read and were put aside, as `<name>.corrupt-<time>`: nothing in them is guessed at. */
  readonly keptAside: string[] = [];
  /** Addresses that this user's runners have ever been reached by. */
  readonly addresses: KnownAddresses;
  readonly #directory: string;

  /** @param stateDirectory where this user's runners keep what outlives them */
  constructor(
    stateDirectory: string,
    private readonly logger: Logger = silentLogger,
  ) {
    this.#directory = join(stateDirectory, 'leases');
    this.addresses = new KnownAddresses(join(this.#directory, 'addresses'));
  }

  read(account: LeaseAccount, number: string): LeaseEntry | undefined {
    return this.#read(nameOf(account, number));
  }

  /** Those of every account, in the order of their numbers' digits. */
  entries(): LeaseEntry[] {
    this.#makeDirectory();
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.#read(name) ?? [])
      .sort((a, b) => (a.change.number < b.change.number ? -1 : 1));
  }

  /** @returns false when the number is in the journal already; nothing is changed then */
  create(entry: LeaseEntry): boolean {
    this.#makeDirectory();
    return createFile(this.#pathOf(entry), JSON.stringify(entry, undefined, 2));
  }

  take(entry: LeaseEntry): LeaseEntry | undefined {
    if (this.read(entry.account, entry.change.number)) return this.replace(entry);
    return this.create(entry) ? entry : undefined;
  }

  handBack(_: LeaseEntry, found: LeaseEntry): void {
    this.replace(found);
  }

  /** What the journal has lost is ours still. A run that has settled it has put the number back, which the provider shows. */
  owned(entry: LeaseEntry): LeaseEntry | undefined {
    const found = this.read(entry.account, entry.change.number);
    return found === undefined || found.leaseId === entry.leaseId ? entry : undefined;
  }

  replace(entry: LeaseEntry): LeaseEntry {
    this.#makeDirectory();
    replaceFile(this.#pathOf(entry), JSON.stringify(entry, undefined, 2));
    return entry;
  }

  leaveToOthers(): boolean {
    return false;
  }

  /** The lock is all it takes. */
  beforeUndo(entry: LeaseEntry): LeaseEntry {
    return entry;
  }

  isOrphan(entry: LeaseEntry, isLive: IsLive, signal?: AbortSignal): Promise<boolean> {
    return isOrphan(entry, isLive, signal);
  }

  note(urls: RouteUrls): void {
    this.addresses.note(urls);
  }

  knownAddresses(): KnownAddresses {
    return this.addresses;
  }

  settle(entry: LeaseEntry): boolean {
    if (entry.below) {
      this.replace(entry.below);
      return true;
    }
    const path = this.#pathOf(entry);
    rmSync(path, { force: true });
    const file = nameOf(entry.account, entry.change.number);
    for (const name of readdirSync(this.#directory).filter((name) => isDraftOf(name, file))) {
      rmSync(join(this.#directory, name), { force: true });
    }
    return true;
  }

  locked<T>(
    account: LeaseAccount,
    number: string,
    { changesOneAtATime = false }: Pick<NumberRouting, 'changesOneAtATime'>,
    wait: LockWait,
    act: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    this.#makeDirectory();
    const name = changesOneAtATime ? accountNameOf(account) : nameOf(account, number);
    return withFileLock(join(this.#directory, `${name}.lock`), wait, () => act(wait.signal));
  }

  #read(name: string): LeaseEntry | undefined {
    const path = join(this.#directory, name);
    const text = textOf(path);
    if (text === undefined) return undefined;
    refuseNewer([{ path, text }]);
    const entry = readLeaseEntry(text);
    if (entry && name === nameOf(entry.account, entry.change.number)) return entry;
    const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    try {
      renameSync(path, aside);
    } catch (error) {
      if (isMissing(error)) return undefined; // another process was faster
      throw error;
    }
    this.keptAside.push(aside);
    this.logger.error('an entry in the journal of numbers could not be read and was kept aside', { 'pii.path': aside });
    return undefined;
  }

  /** Again each time: what cleans up old files may have removed it. */
  #makeDirectory(): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  #pathOf({ account, change }: LeaseEntry): string {
    return join(this.#directory, nameOf(account, change.number));
  }
}

const nameOf = (account: LeaseAccount, number: string) => `${leaseNameOf(account, number)}.json`;

/** Undefined when there is none; empty, which is no entry, for what is no file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return '';
    throw error;
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** How many are remembered; the ones used last. */
const MAX_ADDRESSES = 200;

/**
 * The addresses that runners of this user have given to providers: a file each, so that two runners cannot undo each
 * other's notes. They are compared without their query.
 */
export class KnownAddresses {
  constructor(private readonly directory: string) {}

  note({ answerUrl, hangupUrl }: RouteUrls): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    for (const url of new Set([answerUrl, hangupUrl].map(withoutQuery))) {
      const path = this.#pathOf(url);
      // Its name says all that counts; what is in it is for people.
      if (!createFile(path, `${url}\n`)) utimesSync(path, new Date(), new Date());
    }
    this.#forgetOldest();
  }

  has(url: string): boolean {
    return statSync(this.#pathOf(withoutQuery(url)), { throwIfNoEntry: false }) !== undefined;
  }

  #forgetOldest(): void {
    const names = readdirSync(this.directory);
    if (names.length <= MAX_ADDRESSES) return;
    const usedAt = (name: string) => statSync(join(this.directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const oldestFirst = names.map((name) => ({ name, at: usedAt(name) })).sort((a, b) => a.at - b.at);
    for (const { name } of oldestFirst.slice(0, -MAX_ADDRESSES)) rmSync(join(this.directory, name), { force: true });
  }

  #pathOf(url: string): string {
    return join(this.directory, createHash('sha256').update(url).digest('hex').slice(0, 32));
  }
}

/** Also for messages: a query can hold what is secret. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
