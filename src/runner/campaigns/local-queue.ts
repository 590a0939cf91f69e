import { type AttemptId, type Campaign, type CampaignEntry, spacingOf } from './campaign.js';
import { CampaignFiles } from './campaign-files.js';
import type { AttemptHandler, Begun, CampaignQueue, WrittenEntry } from './campaign-queue.js';
import type { CampaignState } from './campaign-state.js';
import { KeptCampaigns } from './kept-campaigns.js';

/** How long an attempt waits for others to end, in milliseconds. */
const FULL_WAIT_MS = 1_000;
/** How often it is looked for campaigns whose runner has died, in milliseconds. */
const LOOK_MS = 30_000;

export interface LocalQueueOptions {
  /** Absolute path of the folder for what must survive this process. */
  readonly stateDirectory: string;
  /** The name of this runner, another one each time that it starts. */
  readonly runner: string;
  /** Which bot it has, and which number: what others have begun is left to them. */
  readonly serves: string;
  /** Milliseconds since the Unix epoch. Default: the clock of this machine. */
  readonly now?: () => number;
}

/** The queue of a runner that is alone: files in its state directory. */
export class LocalQueue extends KeptCampaigns implements CampaignQueue {
  protected readonly files: CampaignFiles;
  #handle: AttemptHandler | undefined;
  #look: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: LocalQueueOptions) {
    super();
    this.files = new CampaignFiles(options.stateDirectory, options.serves);
  }

  async find(id: string): Promise<CampaignState | undefined> {
    return this.states.get(id);
  }

  now(): number {
    return this.options.now?.() ?? Date.now();
  }

  isAlive(runner: string): boolean {
    return runner === this.options.runner;
  }

  async open(handle: AttemptHandler): Promise<void> {
    await this.#takeOver();
    this.#handle = handle;
    this.#look = setInterval(() => void this.#takeOver().catch(() => undefined), LOOK_MS).unref();
  }

  async #takeOver(): Promise<void> {
    for (const id of await this.takeUp(this.now())) this.emit('change', id);
  }

  create(campaign: Campaign): Promise<CampaignState> {
    return this.add(campaign);
  }

  async offer(attempt: AttemptId): Promise<void> {
    void this.#handle?.(attempt);
  }

  async begin({ campaign: id, row, attempt }: AttemptId, callId: string): Promise<Begun> {
    const state = this.states.get(id);
    if (!this.#handle || state?.condition !== 'running' || !state.awaits(row, attempt)) return { is: 'refused' };
    const { campaign, liveCount, lastStartAt } = state;
    if (liveCount >= campaign.atOnce) return { is: 'wait', ms: FULL_WAIT_MS };
    const sinceMs = lastStartAt === undefined ? Number.POSITIVE_INFINITY : this.now() - lastStartAt;
    // A start that is to come was noted by a clock that was put back since.
    const waitMs = sinceMs < 0 ? 0 : spacingOf(campaign) - sinceMs;
    if (waitMs > 0) return { is: 'wait', ms: waitMs };
    await this.#write(id, { is: 'placing', row, attempt, callId, runner: this.options.runner, at: this.now() });
    return { is: 'begun' };
  }

  write(id: string, entry: WrittenEntry): Promise<void> {
    return this.#write(id, entry);
  }

  async turn(id: string, condition: 'running' | 'paused' | 'cancelled'): Promise<void> {
    const at = Math.max(this.now(), this.states.get(id)?.turnedAt ?? 0); // the clock may have been put back
    await this.#write(id, { is: 'condition', at, condition });
  }

  drain(): void {
    this.#handle = undefined;
  }

  async close(): Promise<void> {
    this.drain();
    clearInterval(this.#look);
    this.#isClosed = true;
    this.removeAllListeners();
    await this.files.close();
  }

  async #write(id: string, entry: CampaignEntry): Promise<void> {
    if (this.#isClosed || !this.states.get(id)?.apply(entry)) return;
    await this.files.append(id, entry);
    this.emit('change', id);
  }
}
