import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { NumberRoute, NumberRouting, RouteChange, RouteUrls } from '../../call/number-routing.js';
import { type Logger, silentLogger } from '../../logger.js';
import type { ProcessIdentity } from '../../process/process-identity.js';
import { createFile, isDraftOf, replaceFile, withFileLock } from './durable-file.js';

/** One account at one provider; what was changed there is never put back at another. */
export interface LeaseAccount {
  /** `daily`, `plivo` … */
  readonly provider: string;
  /** Tells accounts apart and opens none: the auth id, or the beginning of the API key's SHA-256. */
  readonly id: string;
  readonly apiUrl: string;
}

export const isSameAccount = (one: LeaseAccount, other: LeaseAccount) =>
  one.provider === other.provider && one.id === other.id && one.apiUrl === other.apiUrl;

/** A number that is set to an address of ours, and all that is needed to put it back. It holds secrets. */
export interface LeaseEntry extends ProcessIdentity {
  readonly version: 1;
  /** Of whoever holds it now; `change.leaseId` stays that of the first when one takes it from another. */
  readonly leaseId: string;
  readonly account: LeaseAccount;
  /** Set until somebody asks for it back, and not for as long as its process lives. */
  readonly isKept: boolean;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly change: RouteChange;
  /** How the number was, for people. */
  readonly route: NumberRoute;
  /** A kept one that a run has taken for a while: it holds again when that gives the number back. */
  readonly below?: LeaseEntry | undefined;
}

const urls = z.object({ answerUrl: z.string(), hangupUrl: z.string() });
const number = z.string().regex(/^\+\d{3,15}$/);
const leaseId = z.string().regex(/^[a-z0-9]{8,32}$/);

const Entry = z
  .object({
    version: z.literal(1),
    leaseId,
    account: z.object({ provider: z.string().min(1), id: z.string().min(1), apiUrl: z.string().min(1) }),
    isKept: z.boolean(),
    pid: z.int().positive(), // 0 and below would mean whole groups
    startTime: z.string().optional(),
    host: z.string(),
    takenAt: z.number(),
    change: z.object({
      number,
      leaseId,
      isInPlace: z.boolean(),
      urls: z.tuple([urls], urls),
      secret: z.string().optional(),
      before: z.unknown(),
    }),
    route: z.object({
      number,
      webhookUrl: z.string().optional(),
      heldBy: z.string().optional(),
      sharedWith: z.array(number),
      isOurs: z.boolean(),
    }),
    get below() {
      return Entry.optional();
    },
  })
  .refine(({ change, route }) => change.number === route.number) as z.ZodType<LeaseEntry>;

/** Undefined for what is not wholly and exactly one. */
function readLeaseEntry(text: string): LeaseEntry | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

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
