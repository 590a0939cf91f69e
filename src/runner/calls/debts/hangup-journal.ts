import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../base/process/is-alive.js';
import { renameOver } from '../../../base/process/rename-over.js';
import { LONGEST_CALL_MS } from '../../../call/call.js';

/**
 * A hang-up that is older is taken over even from a process that seems alive: its number may be another's by now, and to
 * end a call twice does no harm. A room that is younger is left alone: a bot or a caller may be about to join it.
 */
const FRESH_MS = 60_000;

/** One account at one provider; what is owed to it is never sent to another. */
export interface JournalAccount {
  readonly carrier: string;
  readonly authId: string;
  readonly apiUrl: string;
}

/** What a file of the journal holds. */
export interface HangupEntry extends JournalAccount {
  readonly version: 1;
  readonly callId: string;
  /** The runner that owes it, and its machine. */
  readonly pid: number;
  readonly host?: string;
  /** Milliseconds since the epoch. */
  readonly owedAt: number;
}

/** What is owed: calls to be ended, rooms to be closed when they are empty, or rooms to be closed at once: their calls are over. */
export type ObligationKind = 'hangups' | 'rooms' | 'room-ends';

/** What must be ended at one account, written down so that another runner ends it if this one cannot. */
export interface ObligationJournal {
  /** This runner owes it, whichever did before. @throws what the disk says */
  add(id: string): void;
  /** It is ended. @throws what the disk says */
  remove(id: string): void;
  /** This runner does not owe it any more; what another has written stays. @throws what the disk says */
  release(id: string): void;
  /** What runners with this state directory that are gone still owe. @throws what the disk says */
  orphans(): string[];
  /** @returns those of the orphans that no runner which is there has taken over; they are this runner's. Never rejects */
  claim(ids: readonly string[]): Promise<string[]>;
  /** @param take told of what this runner takes over from others of its cluster, from now on */
  follow(take: (ids: readonly string[]) => void): void;
  /** Leaves what is open to others, and lets go of everything. Never rejects. */
  close(): Promise<void>;
}

/** Gives the journal of one account and one kind. */
export type JournalOf = (account: JournalAccount, kind: ObligationKind) => ObligationJournal;

/** On disk, one file each. */
export class HangupJournal implements ObligationJournal {
  readonly #directory: string;

  /**
   * @param stateDirectory where this user's runners keep what outlives them
   * @param kind what is owed, which is a folder of its own
   */
  constructor(
    stateDirectory: string,
    private readonly account: JournalAccount,
    private readonly kind: ObligationKind = 'hangups',
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
    const entry: HangupEntry = {
      version: 1,
      callId,
      carrier,
      authId,
      apiUrl,
      pid: process.pid,
      host: hostname(),
      owedAt,
    };
    const path = this.#pathOf(nameOf(callId));
    writeFileSync(`${path}.draft`, JSON.stringify(entry), { mode: 0o600 });
    renameOver(`${path}.draft`, path); // a reader sees a whole entry or none
  }

  remove(callId: string): void {
    rmSync(this.#pathOf(nameOf(callId)), { force: true });
  }

  release(callId: string): void {
    const { pid, host } = this.#read(nameOf(callId)) ?? {};
    if (pid === process.pid && host === hostname()) this.remove(callId);
  }

  /** Entries too old to matter are removed. */
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

  /** A runner that is alone takes all. */
  async claim(callIds: readonly string[]): Promise<string[]> {
    return [...callIds];
  }

  follow(): void {}

  async close(): Promise<void> {}

  /** Again each time: what cleans up old files may have removed it. */
  #makeDirectory(): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  #pathOf(name: string): string {
    return join(this.#directory, name);
  }

  #read(name: string): HangupEntry | undefined {
    try {
      const entry = JSON.parse(readFileSync(this.#pathOf(name), 'utf8'));
      return isEntry(entry) && name === nameOf(entry.callId) ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * A hang-up is done within seconds, and so is the end of a room. A room is open for as long as its call and its runner live,
   * and whether a runner on another machine, or in another container, does cannot be seen from here.
   */
  #isLeft({ pid, host, owedAt }: HangupEntry): boolean {
    const ageMs = Date.now() - owedAt;
    if (this.kind === 'rooms') return host === hostname() && !isOwnerAlive(pid) && ageMs >= FRESH_MS;
    return !isOwnerAlive(pid) || ageMs > FRESH_MS;
  }

  #isOurs({ carrier, authId, apiUrl }: HangupEntry): boolean {
    return carrier === this.account.carrier && authId === this.account.authId && apiUrl === this.account.apiUrl;
  }
}

function nameOf(callId: string): string {
  return `${callId}.json`;
}

function isEntry(value: Partial<HangupEntry> | null): value is HangupEntry {
  const { version, callId, pid, owedAt } = value ?? {};
  const isPid = typeof pid === 'number' && pid > 0; // 0 and below would mean whole groups
  return version === 1 && typeof callId === 'string' && callId !== '' && isPid && typeof owedAt === 'number';
}

function isOwnerAlive(pid: number): boolean {
  return pid !== process.pid && isAlive(pid); // an earlier process may have had our number
}
