import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { silentLogger } from '../../../src/base/logger.js';
import type { CampaignProgress, CampaignResult } from '../../../src/call/campaign-progress.js';
import { RedisQueue } from '../../../src/cluster/campaigns/redis-queue.js';
import type { Members, MembersEvents } from '../../../src/cluster/members/cluster.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import type { Campaign } from '../../../src/runner/campaigns/campaign.js';
import type { CampaignQueue } from '../../../src/runner/campaigns/campaign-queue.js';
import { Campaigns } from '../../../src/runner/campaigns/campaigns.js';
import { LocalQueue } from '../../../src/runner/campaigns/local-queue.js';
import { parseRetryRules } from '../../../src/runner/campaigns/retry-rules.js';
import { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../../../src/runner/dialing/calling-rules.js';
import { until } from '../../e2e/processes.js';
import type { FakePhones } from './fake-phones.js';

/** How long is waited for news of the call of a dead runner, in milliseconds. */
export const NEWS_WITHIN_MS = 1_500;
export const SERVES = 'bot.ts +12025550100 account';

/** Which runners there are, as the test says. */
class HandMembers extends EventEmitter<MembersEvents> implements Members {
  readonly others = [];

  constructor(
    readonly ownId: string,
    private readonly dead: ReadonlySet<string>,
  ) {
    super();
  }

  isAlive(runnerId: string): boolean {
    return !this.dead.has(runnerId);
  }
}

/** @param url of the cluster's Redis; undefined for a runner that is alone */
export async function openRunner(
  phones: FakePhones,
  stateDirectory: string,
  url: string | undefined,
  id: string,
  dead: ReadonlySet<string>,
  hours = new CalleeHours(NO_CALLING_RULES),
): Promise<RunnerOfCampaigns> {
  const logger = silentLogger;
  const redis = url === undefined ? undefined : await RedisLink.connect({ url, name: 'test', logger });
  const timing = { lockMs: 1_000, tellMs: 300 };
  const queue = redis
    ? new RedisQueue({
        cluster: { redis, members: new HandMembers(id, dead) },
        stateDirectory,
        serves: SERVES,
        timing,
        logger,
      })
    : new LocalQueue({ stateDirectory, serves: SERVES, runner: id });
  let calls = 0;
  const newCallId = () => `out_${id.slice(0, 8)}_${++calls}`;
  const { dial } = phones;
  const outcomes = { outcomes: phones, newsWithinMs: NEWS_WITHIN_MS };
  const campaigns = new Campaigns({ queue, dial, ...outcomes, hours, newCallId, logger });
  await campaigns.start();
  return new RunnerOfCampaigns(campaigns, queue, phones, id, redis);
}

/** A runner as far as campaigns see it. */
export class RunnerOfCampaigns {
  constructor(
    readonly campaigns: Campaigns,
    readonly queue: CampaignQueue,
    readonly phones: FakePhones,
    readonly id: string,
    readonly redis: RedisLink | undefined,
  ) {}

  /** Begins a campaign; fast, unless the test says otherwise. */
  async begin(rows: number, change: Partial<Campaign> = {}): Promise<string> {
    const { id } = await this.campaigns.create(campaignOf(rows, change));
    return id;
  }

  progress(id: string): CampaignProgress {
    const progress = this.campaigns.progress(id);
    if (!progress) throw new Error(`no campaign ${id}`);
    return progress;
  }

  /** @returns the results when it is over */
  async over(id: string, limitMs = 15_000): Promise<CampaignResult[]> {
    await until(() => this.campaigns.progress(id)?.endedAt !== undefined, `campaign ${id} is over`, limitMs);
    return this.campaigns.results(id) ?? [];
  }

  async stop(): Promise<void> {
    await this.campaigns.close();
    this.redis?.close();
  }
}

export function campaignOf(rows: number, change: Partial<Campaign> = {}): Campaign {
  return {
    version: 1,
    id: `cmp_${randomUUID()}`,
    name: 'test',
    fingerprint: 'a',
    serves: SERVES,
    createdAt: Date.now(),
    perMinute: 6_000,
    atOnce: 5,
    retries: {},
    contacts: Array.from({ length: rows }, (_, index) => ({
      phoneNumber: numberOf(index + 1),
      body: { row: index + 1 },
    })),
    ...change,
  };
}

export const numberOf = (row: number): string => `+1202555${String(1_000 + row)}`;
export const retries = parseRetryRules;
