import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One account at one carrier; hang-ups are never sent to another. */
export interface JournalAccount {
  readonly carrier: string;
  readonly authId: string;
  readonly apiUrl: string;
}

interface Entry extends JournalAccount {
  readonly version: 1;
  readonly callId: string;
  /** The runner that owes it. */
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly owedAt: number;
}

/** No call lasts longer than this at a carrier, in milliseconds (reference 1.8). */
const LONGEST_CALL_MS = 24 * 60 * 60 * 1_000;

/** Calls that must be ended at the carrier, on disk, one file each, so that they are ended even after a crash. */
export class HangupJournal {
  readonly #directory: string;

  /** @param stateDirectory where this user's runners keep what outlives them */
  constructor(
    stateDirectory: string,
    private readonly account: JournalAccount,
  ) {
    this.#directory = join(stateDirectory, 'hangups');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** @param callId of the carrier's strict form: it becomes the name of a file */
  add(callId: string): void {
    const { carrier, authId, apiUrl } = this.account;
    const entry: Entry = { version: 1, callId, carrier, authId, apiUrl, pid: process.pid, owedAt: Date.now() };
    const path = this.#pathOf(callId);
    writeFileSync(`${path}.draft`, JSON.stringify(entry), { mode: 0o600 });
    renameSync(`${path}.draft`, path); // a reader sees a whole entry or none
  }

  remove(callId: string): void {
    rmSync(this.#pathOf(callId), { force: true });
  }

  /** What runners of this account that are gone still owe. Entries too old to matter are removed. */
  orphans(): string[] {
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const entry = this.#read(join(this.#directory, name));
        if (!entry || Date.now() - entry.owedAt > LONGEST_CALL_MS) {
          rmSync(join(this.#directory, name), { force: true });
          return [];
        }
        return this.#isOurs(entry) && !isAlive(entry.pid) ? [entry.callId] : [];
      });
  }

  #pathOf(callId: string): string {
    return join(this.#directory, `${callId}.json`);
  }

  #read(path: string): Entry | undefined {
    try {
      const entry = JSON.parse(readFileSync(path, 'utf8'));
      return entry?.version === 1 && path === this.#pathOf(entry.callId) ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  #isOurs({ carrier, authId, apiUrl }: Entry): boolean {
    return carrier === this.account.carrier && authId === this.account.authId && apiUrl === this.account.apiUrl;
  }
}

/** Signal 0 only asks. A process of another user (EPERM) is alive too. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false; // an earlier process had our number
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
