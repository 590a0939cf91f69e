import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import { isGone, type ProcessIdentity, thisProcess } from '../../base/process/process-identity.js';
import { renameOver } from '../../base/process/rename-over.js';
import { breakLock, createFile } from '../numbers/durable-file.js';
import type { Campaign, CampaignEntry } from './campaign.js';
import { readCampaign, readEntry } from './read-campaign.js';

/** What has been written down about a campaign. */
export interface KeptCampaign {
  readonly campaign: Campaign;
  /** Oldest first. */
  readonly entries: readonly CampaignEntry[];
}

/** Campaigns are forgotten so long after something was last written about them, in milliseconds, if they are over by then. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** How often a process says that it is still at its campaigns, and after which silence one that cannot be seen from here is gone. */
const SIGN_OF_LIFE_MS = 20_000;
const SILENT_MS = 120_000;

interface OwnFile {
  readonly handle: FileHandle;
  /** The entries that are on the disk, one after another. */
  written: Promise<void>;
}

/**
 * Campaigns in the state directory: `<id>.json` is the campaign, `<id>.jsonl` what has happened in it, one entry a line, and
 * `<id>.owner` the process that writes there. Only the user may read them: they have telephone numbers.
 */
export class CampaignFiles {
  readonly #directory: string;
  readonly #own = new Map<string, OwnFile>();
  readonly #signs: NodeJS.Timeout;

  /**
   * @param stateDirectory absolute path
   * @param serves those of other bots and numbers are left alone
   */
  constructor(
    stateDirectory: string,
    private readonly serves: string,
  ) {
    this.#directory = join(stateDirectory, 'campaigns');
    this.#signs = setInterval(() => this.#showLife(), SIGN_OF_LIFE_MS).unref();
  }

  /** Those that no living process writes, which from now on this one does. */
  async take(): Promise<KeptCampaign[]> {
    const taken: KeptCampaign[] = [];
    for (const name of this.#names()) {
      const id = name.slice(0, -'.json'.length);
      if (this.#own.has(id) || this.#readCampaign(id)?.serves !== this.serves || !this.#lock(id)) continue;
      const campaign = this.#readCampaign(id); // the process that had it has written in it until now
      if (campaign) {
        const entries = this.#readEntries(id);
        await this.#openLog(id);
        taken.push({ campaign, entries });
      } else this.#unlock(id);
    }
    return taken;
  }

  /** Writes down a campaign, whole or not at all. @returns false when another living process writes it */
  async create(campaign: Campaign): Promise<boolean> {
    const { id } = campaign;
    if (this.#own.has(id)) return true;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    if (!this.#lock(id)) return false;
    const path = this.#path(id, 'json');
    const before = readText(path);
    if (before !== undefined && !readCampaign(before)) {
      this.#unlock(id);
      throw new VoicebotError(
        'VB_CONFIG_INVALID',
        `${path} is damaged, and its campaign may have called people already`,
        {
          hint: 'mend the file, or move it away to call everybody',
        },
      );
    }
    const draft = await open(`${path}.draft`, 'w', 0o600);
    try {
      await draft.writeFile(JSON.stringify(campaign));
      await draft.sync();
    } finally {
      await draft.close();
    }
    await this.#openLog(id);
    renameOver(`${path}.draft`, path);
    return true;
  }

  /** Resolves when the entry is on the disk; at once for a campaign that another process writes. */
  append(id: string, entry: CampaignEntry): Promise<void> {
    const own = this.#own.get(id);
    if (!own) return Promise.resolve();
    const line = `${JSON.stringify(entry)}\n`;
    own.written = own.written.then(async () => {
      await own.handle.appendFile(line);
      await own.handle.datasync();
    });
    return own.written;
  }

  /** Forgets a campaign that is over. */
  async remove(id: string): Promise<void> {
    await this.#own.get(id)?.handle.close();
    if (!this.#own.delete(id)) return;
    for (const ending of ['json', 'jsonl', 'owner'] as const) rmSync(this.#path(id, ending), { force: true });
  }

  async close(): Promise<void> {
    clearInterval(this.#signs);
    for (const [id, { handle, written }] of this.#own) {
      await written.catch(() => undefined); // the code that appended it knows
      await handle.close();
      this.#unlock(id);
    }
    this.#own.clear();
  }

  /** When something was last written about it, in milliseconds since the Unix epoch. */
  writtenAt(id: string): number {
    return statSync(this.#path(id, 'jsonl'), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  }

  #names(): string[] {
    try {
      return readdirSync(this.#directory).filter((name) => /^[\w-]+\.json$/.test(name));
    } catch {
      return []; // there has never been a campaign
    }
  }

  #path(id: string, ending: 'json' | 'jsonl' | 'owner'): string {
    return join(this.#directory, `${id}.${ending}`);
  }

  #readCampaign(id: string): Campaign | undefined {
    const campaign = readCampaign(readText(this.#path(id, 'json')) ?? '');
    return campaign?.id === id ? campaign : undefined;
  }

  /** The last line of a process that was killed may be half a line: it says nothing, and what it was to say was not done. */
  #readEntries(id: string): CampaignEntry[] {
    return (readText(this.#path(id, 'jsonl')) ?? '').split('\n').flatMap((line) => readEntry(line) ?? []);
  }

  #showLife(): void {
    const now = new Date();
    for (const id of this.#own.keys()) {
      try {
        utimesSync(this.#path(id, 'owner'), now, now);
      } catch {
        // what cleans up old files may have removed it
      }
    }
  }

  async #openLog(id: string): Promise<void> {
    const handle = await open(this.#path(id, 'jsonl'), 'a', 0o600);
    const { size } = await handle.stat();
    if (size > 0) await handle.appendFile('\n'); // ends what may be half a line
    this.#own.set(id, { handle, written: Promise.resolve() });
  }

  #lock(id: string): boolean {
    const path = this.#path(id, 'owner');
    const own = JSON.stringify({ ...thisProcess(), at: Date.now() });
    if (createFile(path, own, false)) return true;
    const text = readText(path);
    if (text === undefined) return createFile(path, own, false);
    if (!isLeft(text, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)) return false;
    return breakLock(path, text) && createFile(path, own, false);
  }

  #unlock(id: string): void {
    rmSync(this.#path(id, 'owner'), { force: true });
  }
}

/** Whether the process that a lock names is gone; one in another container cannot be seen from here, but shows that it lives. */
function isLeft(text: string, seenAt: number): boolean {
  try {
    const { at, ...owner } = JSON.parse(text) as ProcessIdentity & { at: number };
    return isGone(owner, at) ?? Date.now() - seenAt > SILENT_MS;
  } catch {
    return Date.now() - seenAt > SILENT_MS; // it may be half written
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
