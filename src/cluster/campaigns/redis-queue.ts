import { randomUUID } from 'node:crypto';
import { type AttemptId, type Campaign, type CampaignEntry, spacingOf } from '../../runner/campaigns/campaign.js';
import { CampaignFiles, KEPT_MS } from '../../runner/campaigns/campaign-files.js';
import type {
  AttemptHandler,
  Begun,
  CampaignQueue,
  QueueOptions,
  WrittenEntry,
} from '../../runner/campaigns/campaign-queue.js';
import type { CampaignState } from '../../runner/campaigns/campaign-state.js';
import { KeptCampaigns } from '../../runner/campaigns/kept-campaigns.js';
import type { Cluster } from '../members/cluster.js';
import { AttemptJobs, type AttemptJobsTiming } from './attempt-jobs.js';
import { BEGIN, CREATE, HOLD, TURN, WRITE } from './campaign-scripts.js';

/** How often it is looked what other runners have done, in milliseconds. */
const LOOK_MS = 500;
/** When Redis comes back, all runners tell it what they know before anybody is called: how long they have, in milliseconds. */
const TELL_MS = 5_000;
/** What people ask for and has another form is no campaign. */
const CAMPAIGN_ID = /^cmp_[\w-]{1,64}$/;
/** Entries that are read, or written, at a time. */
const PIECE = 1_000;

/** A copy of everything is kept in the state directory too. */
export interface RedisQueueOptions extends QueueOptions {
  readonly cluster: Cluster;
  readonly timing?: Partial<AttemptJobsTiming> & { readonly tellMs?: number };
}

/** What of a campaign's log in Redis has been read. */
interface Copy {
  name: string | undefined;
  read: number;
}

/**
 * The queue of a cluster. Redis decides who begins an attempt; every runner has a copy of all that is written, in its memory and in its
 * state directory, and writes it again when Redis has lost it.
 */
export class RedisQueue extends KeptCampaigns implements CampaignQueue {
  protected readonly files: CampaignFiles;
  readonly #jobs: AttemptJobs;
  readonly #copies = new Map<string, Copy>();
  #aheadMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** Its own files have been read. */
  #isOpen = false;
  #isClosed = false;
  /** Redis may have lost something since. */
  #wasAway = true;
  /** What it could not be told, oldest first. */
  #untold: Array<{ readonly id: string; readonly entry: WrittenEntry }> = [];

  constructor(private readonly options: RedisQueueOptions) {
    super();
    this.files = new CampaignFiles(options.stateDirectory, options.serves);
    this.#jobs = new AttemptJobs(options.cluster.redis, options.logger, options.timing);
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  isAlive(runner: string): boolean {
    return this.options.cluster.members.isAlive(runner);
  }

  async open(handle: AttemptHandler): Promise<void> {
    await this.takeUp(this.now());
    this.#isOpen = true;
    this.options.cluster.redis.on('up', this.#onUp);
    this.#look();
    await this.#looking;
    await this.#jobs.open(handle);
  }

  async create(campaign: Campaign): Promise<CampaignState> {
    const known = this.states.get(campaign.id);
    if (known) return known;
    const answer = await this.#script(
      CREATE,
      [this.#all, this.#key(campaign.id, 'state')],
      [campaign.id, JSON.stringify(campaign), randomUUID(), 0],
    );
    return await this.add(answer[1] === undefined ? campaign : (JSON.parse(String(answer[1])) as Campaign));
  }

  async find(id: string): Promise<CampaignState | undefined> {
    if (!CAMPAIGN_ID.test(id)) return undefined;
    const known = this.states.get(id);
    if (!this.#isOpen) return known; // what it learned now would count as read from its own files
    if (known?.isOver || (!known && !(await this.#learn(id)))) return known;
    await this.#readLog(id).catch((error: unknown) => {
      if (!known) throw error;
    });
    return this.states.get(id);
  }

  offer(attempt: AttemptId): Promise<void> {
    return this.#jobs.add(attempt);
  }

  async begin({ campaign: id, row, attempt }: AttemptId, callId: string): Promise<Begun> {
    const state = this.states.get(id);
    if (this.#wasAway || state?.condition !== 'running' || !state.awaits(row, attempt)) return { is: 'refused' };
    const { atOnce } = state.campaign;
    const entry = { is: 'placing', row, attempt, callId, runner: this.options.cluster.members.ownId } as const;
    const field = `${row}.${attempt}`;
    const [now, is, ms] = await this.#script(BEGIN, this.#keys(id), [
      field,
      atOnce,
      Math.ceil(spacingOf(state.campaign)),
      JSON.stringify(entry),
    ]);
    if (is === 'wait') return { is, ms: Number(ms) };
    if (is !== 'begun') return { is: 'refused' };
    await this.#note(id, { ...entry, at: Number(now) });
    return { is: 'begun' };
  }

  /** Redis hears of it now, or when it is back and is told everything. */
  async write(id: string, entry: WrittenEntry): Promise<void> {
    await this.#note(id, entry);
    await this.#tell(id, [entry]).catch(() => {
      this.#untold.push({ id, entry });
      this.#wasAway = true;
    });
  }

  async turn(id: string, condition: 'running' | 'paused' | 'cancelled', orderedAt?: number): Promise<void> {
    const entry = { is: 'condition', condition } as const;
    const keys = [this.#key(id, 'state'), this.#key(id, 'log')];
    const [, at] = await this.#script(TURN, keys, [condition, JSON.stringify(entry), orderedAt ?? '']);
    if (at !== undefined) await this.#note(id, { ...entry, at: Number(at) });
  }

  drain(): void {
    this.#jobs.drain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.options.cluster.redis.off('up', this.#onUp);
    this.removeAllListeners();
    await this.#jobs.close();
    await this.#looking;
    await this.files.close();
  }

  readonly #onUp = (): void => {
    this.#wasAway = true;
    clearTimeout(this.#timer);
    this.#look();
  };

  /** Learns what others have done, and again after a while. */
  #look(): void {
    this.#looking = this.#looking
      .then(async () => {
        if (this.#isClosed || !this.options.cluster.redis.isUp) return;
        if (this.#wasAway) await this.#tellAll();
        await this.#readAll();
      })
      .catch(() => undefined) // Redis is away: the link has said so
      .then(() => {
        if (this.#isClosed) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#look(), LOOK_MS);
      });
  }

  /** Redis may have lost everything, or the last moments. */
  async #tellAll(): Promise<void> {
    this.#wasAway = false;
    try {
      const open = [...this.states.values()].filter((state) => !state.isOver);
      const { tellMs = TELL_MS } = this.options.timing ?? {};
      for (const { campaign } of open) {
        const keys = [this.#all, this.#key(campaign.id, 'state')];
        const created = await this.#script(CREATE, keys, [campaign.id, JSON.stringify(campaign), randomUUID(), tellMs]);
        if (created[1] !== undefined) await this.#script(HOLD, [this.#key(campaign.id, 'state')], [tellMs]);
        this.#copies.delete(campaign.id);
      }
      for (let [untold] = this.#untold; untold; [untold] = this.#untold) {
        await this.#tell(untold.id, [untold.entry]);
        this.#untold.shift();
      }
      for (const state of open) {
        const entries = state.entries();
        for (let at = 0; at < entries.length; at += PIECE) {
          await this.#tell(state.campaign.id, entries.slice(at, at + PIECE));
        }
      }
    } catch (error) {
      this.#wasAway = true;
      throw error;
    }
  }

  async #tell(id: string, entries: readonly CampaignEntry[]): Promise<void> {
    const args = entries.flatMap((entry) =>
      entry.is === 'condition' ? [] : [`${entry.row}.${entry.attempt}`, RANK[entry.is], JSON.stringify(entry)],
    );
    if (args.length > 0) await this.#script(WRITE, this.#keys(id), args);
    for (const entry of entries) {
      if (entry.is === 'condition') await this.turn(id, entry.condition, entry.at);
    }
  }

  async #readAll(): Promise<void> {
    const { redis } = this.options.cluster;
    const ids = await redis.run((client) => client.hkeys(this.#all));
    for (const id of ids) {
      if (!this.states.has(id) && !(await this.#learn(id))) continue;
      if (!this.states.get(id)?.isOver) await this.#readLog(id);
    }
    const lost = [...this.states.values()].some(({ isOver, campaign }) => !isOver && !ids.includes(campaign.id));
    if (lost) this.#wasAway = true;
  }

  /** Keeps a campaign that another runner has begun. @returns whether there is one */
  async #learn(id: string): Promise<boolean> {
    const { redis } = this.options.cluster;
    const isKept = await redis.run((client) => client.exists(this.#key(id, 'state')));
    const text = isKept ? await redis.run((client) => client.hget(this.#all, id)) : null;
    if (!isKept) await redis.run((client) => client.hdel(this.#all, id)); // over, and its time has passed
    if (text === null) return false;
    await this.add(JSON.parse(text) as Campaign);
    return true;
  }

  async #readLog(id: string): Promise<void> {
    const { redis } = this.options.cluster;
    const name = await redis.run((client) => client.hget(this.#key(id, 'state'), 'copy'));
    let copy = this.#copies.get(id);
    if (!copy || copy.name !== (name ?? undefined)) {
      copy = { name: name ?? undefined, read: 0 };
      this.#copies.set(id, copy);
    }
    for (;;) {
      const { read } = copy;
      const lines = await redis.run((client) => client.lrange(this.#key(id, 'log'), read, read + PIECE - 1));
      for (const line of lines) await this.#note(id, JSON.parse(line) as CampaignEntry);
      copy.read = Math.max(copy.read, read + lines.length); // it may be read twice at the same time
      if (lines.length < PIECE) return;
    }
  }

  /** In memory and on the disk of this runner. */
  async #note(id: string, entry: CampaignEntry): Promise<void> {
    const state = this.states.get(id);
    if (!state?.apply(entry)) return;
    await this.files.append(id, entry);
    if (state.isOver) await this.#forgetLater(id);
    this.emit('change', id);
  }

  /** Redis does not keep what is over for ever. */
  async #forgetLater(id: string): Promise<void> {
    const names = ['state', 'attempts', 'live', 'log'].map((name) => this.#key(id, name));
    const expire = () =>
      this.options.cluster.redis.run(async (client) => {
        for (const name of names) await client.pexpire(name, KEPT_MS);
      });
    await expire().catch(() => undefined);
  }

  async #script(
    script: typeof CREATE,
    keys: readonly string[],
    args: ReadonlyArray<string | number>,
  ): Promise<unknown[]> {
    const answer = await this.options.cluster.redis.script(script, keys, args);
    const answers = Array.isArray(answer) ? answer : [answer];
    this.#aheadMs = Number(answers[0]) - Date.now();
    return answers;
  }

  get #all(): string {
    return this.options.cluster.redis.key('campaigns');
  }

  #key(id: string, name: string): string {
    return this.options.cluster.redis.key('campaign', id, name);
  }

  #keys(id: string): string[] {
    return ['state', 'attempts', 'live', 'log'].map((name) => this.#key(id, name));
  }
}

const RANK = { undone: 0, placing: 1, placed: 2, ended: 3 };
