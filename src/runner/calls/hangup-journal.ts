import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LONGEST_CALL_MS } from '../../call/call.js';
import { isAlive } from '../../process/is-alive.js';

/**
 * A hang-up that is older is taken over even from a process that seems alive: its number may be another's by now, and to
 * end a call twice does no harm. A room that is younger is left alone: somebody may be about to join it.
 */
const FRESH_MS = 60_000;

/** One account at one provider; what is owed to it is never sent to another. */
export interface JournalAccount {
  readonly carrier: string;
  readonly authId: string;
  readonly apiUrl: string;
}

interface Entry extends JournalAccount {
  readonly version: 1;
  readonly callId: string;
  /** The runner that owes it, and its machine. */
  readonly pid: number;
  readonly host?: string;
  /** Milliseconds since the epoch. */
  readonly owedAt: number;
}

/** What must be ended at the provider, on disk, one file each, so that it is ended even after a crash. */
export class HangupJournal {
  readonly #directory: string;

  /**
   * @param stateDirectory where this user's runners keep what outlives them
   * @param kind what is owed, which is a folder of its own: calls to be ended, or rooms to be closed when they are empty
   */
  constructor(
    stateDirectory: string,
    private readonly account: JournalAccount,
    private readonly kind: 'hangups' | 'rooms' = 'hangups',
  ) {
    this.#directory = join(stateDirectory, kind);
  }

  /**
   * Taken over from an earlier runner, an entry keeps its age.
   * @param callId of the carrier's strict form: it becomes the name of a file
   */
  add(callId: string): void {
    this.#makeDirectory();
    const { carrier, authId, apiUrl } = this.account;
    const owedAt = this.#read(nameOf(callId))?.owedAt ?? Date.now();
    const entry: Entry = { version: 1, callId, carrier, authId, apiUrl, pid: process.pid, host: hostname(), owedAt };
    const path = this.#pathOf(nameOf(callId));
    writeFileSync(`${path}.draft`, JSON.stringify(entry), { mode: 0o600 });
    renameSync(`${path}.draft`, path); // a reader sees a whole entry or none
  }

  remove(callId: string): void {
    rmSync(this.#pathOf(nameOf(callId)), { force: true });
  }

  /** What runners of this account that are gone still owe. Entries too old to matter are removed. */
  orphans(): string[] {
    this.#makeDirectory();
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const entry = this.#read(name);
        if (!entry || Date.now() - entry.owedAt > LONGEST_CALL_MS) {
          rmSync(this.#pathOf(name), { recursive: true, force: true });
          return [];
        }
        return this.#isOurs(entry) && this.#isLeft(entry) ? [entry.callId] : [];
      });
  }

  /** Again each time: what cleans up old files may have removed it. */
  #makeDirectory(): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  #pathOf(name: string): string {
    return join(this.#directory, name);
  }

  #read(name: string): Entry | undefined {
    try {
      const entry = JSON.parse(readFileSync(this.#pathOf(name), 'utf8'));
      return isEntry(entry) && name === nameOf(entry.callId) ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * A hang-up is done within seconds. A room is open for as long as its call and its runner live, and whether a runner on
   * another machine, or in another container, does cannot be seen from here.
   */
  #isLeft({ pid, host, owedAt }: Entry): boolean {
    const ageMs = Date.now() - owedAt;
    if (this.kind === 'rooms') return host === hostname() && !isOwnerAlive(pid) && ageMs >= FRESH_MS;
    return !isOwnerAlive(pid) || ageMs > FRESH_MS;
  }

  #isOurs({ carrier, authId, apiUrl }: Entry): boolean {
    return carrier === this.account.carrier && authId === this.account.authId && apiUrl === this.account.apiUrl;
  }
}

function nameOf(callId: string): string {
  return `${callId}.json`;
}

function isEntry(value: Partial<Entry> | null): value is Entry {
  const { version, callId, pid, owedAt } = value ?? {};
  const isPid = typeof pid === 'number' && pid > 0; // 0 and below would mean whole groups
  return version === 1 && typeof callId === 'string' && callId !== '' && isPid && typeof owedAt === 'number';
}

function isOwnerAlive(pid: number): boolean {
  return pid !== process.pid && isAlive(pid); // an earlier process may have had our number
}
