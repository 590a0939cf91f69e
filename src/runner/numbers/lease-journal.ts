import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NumberRouting } from '../../call/number-routing.js';
import { type Logger, silentLogger } from '../../logger.js';
import { createFile, isDraftOf, replaceFile } from './durable-file.js';
import { withFileLock } from './file-lock.js';
import { KnownAddresses } from './known-addresses.js';
import { type LeaseAccount, type LeaseEntry, readLeaseEntry } from './lease-entry.js';

export { isSameAccount, type LeaseAccount, type LeaseEntry } from './lease-entry.js';

/** The numbers that this user's runners have pointed at themselves, one file each, to be put back even after a crash. */
export class LeaseJournal {
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

  /** For whoever holds the lock of the number. */
  replace(entry: LeaseEntry): void {
    this.#makeDirectory();
    replaceFile(this.#pathOf(entry), JSON.stringify(entry, undefined, 2));
  }

  /** The number is as it was: what the entry says is forgotten, or holds again where it was set for a while only. */
  settle(entry: LeaseEntry): void {
    if (entry.below) {
      this.replace(entry.below);
      return;
    }
    const path = this.#pathOf(entry);
    rmSync(path, { force: true });
    const file = nameOf(entry.account, entry.change.number);
    for (const name of readdirSync(this.#directory).filter((name) => isDraftOf(name, file))) {
      rmSync(join(this.#directory, name), { force: true });
    }
  }

  /**
   * Changes one number while no other process does, or, where an account's numbers are changed one at a time, while no
   * other process changes any of them.
   * @param wait `limitMs`: how long for the others
   * @throws LockHeldError, or the signal's reason
   */
  locked<T>(
    account: LeaseAccount,
    number: string,
    { changesOneAtATime = false }: Pick<NumberRouting, 'changesOneAtATime'>,
    wait: { readonly limitMs: number; readonly signal?: AbortSignal | undefined },
    act: () => Promise<T>,
  ): Promise<T> {
    this.#makeDirectory();
    const name = changesOneAtATime ? accountNameOf(account) : nameOf(account, number);
    return withFileLock(join(this.#directory, `${name}.lock`), wait, act);
  }

  #read(name: string): LeaseEntry | undefined {
    const path = join(this.#directory, name);
    const text = textOf(path);
    if (text === undefined) return undefined;
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

const nameOf = (account: LeaseAccount, number: string) => `${accountNameOf(account)}-${number.replace(/\D/g, '')}.json`;

function accountNameOf({ provider, id, apiUrl }: LeaseAccount): string {
  const account = createHash('sha256').update(`${id}\n${apiUrl}`).digest('hex').slice(0, 12);
  return `${provider.replaceAll(/[^\w-]/g, '_')}-${account}`;
}

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
