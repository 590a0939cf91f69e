import { randomUUID } from 'node:crypto';
import { VoicebotError } from '../../base/errors.js';
import type { CampaignOrder, CampaignProgress, CampaignResult } from '../../call/campaign-progress.js';
import type { RunnerClient } from '../../runners/runner-client.js';
import type { ContactToCall } from './contacts-file.js';

/** A campaign as it is asked for. */
export interface WishedCampaign {
  readonly name: string;
  readonly contacts: readonly ContactToCall[];
  readonly perMinute?: number | undefined;
  readonly atOnce?: number | undefined;
  readonly hours?: string | undefined;
  readonly retry?: string | undefined;
}

export interface RowProblem {
  /** From 1, among the contacts that were sent. */
  readonly row: number;
  readonly problem: string;
}

/** A hundred thousand numbers are checked in some seconds. */
const CHECK_DEADLINE_MS = 120_000;

/**
 * Asks a runner of campaigns. Each function throws VoicebotError with what the runner refuses it with, VB_RUNNER_NOT_FOUND,
 * VB_DEADLINE_EXCEEDED and VB_UNAUTHORISED.
 */
export class CampaignClient {
  constructor(private readonly runner: Pick<RunnerClient, 'ask' | 'url'>) {}

  get url(): string {
    return this.runner.url;
  }

  /** Who cannot be called. */
  async check(wished: WishedCampaign): Promise<readonly RowProblem[]> {
    const body = { ...requestOf(wished), check_only: true };
    const { problems } = (await this.runner.ask('/campaigns', {
      body,
      limitMs: CHECK_DEADLINE_MS,
    })) as Partial<Checked>;
    return problems ?? [];
  }

  /** Begins it: once, even where the answer gets lost and the request is sent again. */
  async begin(wished: WishedCampaign): Promise<CampaignProgress> {
    const idempotencyKey = randomUUID();
    const send = () =>
      this.runner.ask('/campaigns', { body: requestOf(wished), limitMs: CHECK_DEADLINE_MS, idempotencyKey });
    const answer = await send().catch((error: unknown) => {
      if (error instanceof VoicebotError && error.code !== 'VB_RUNNER_NOT_FOUND') throw error;
      return send();
    });
    return campaignIn(answer);
  }

  async list(): Promise<readonly CampaignProgress[]> {
    const { campaigns } = (await this.runner.ask('/campaigns')) as { campaigns?: CampaignProgress[] };
    return campaigns ?? [];
  }

  async progress(id: string): Promise<CampaignProgress> {
    return campaignIn(await this.runner.ask(`/campaigns/${encodeURIComponent(id)}`));
  }

  async order(id: string, order: CampaignOrder): Promise<CampaignProgress> {
    return campaignIn(await this.runner.ask(`/campaigns/${encodeURIComponent(id)}/${order}`, { body: {} }));
  }

  async results(id: string): Promise<readonly CampaignResult[]> {
    const path = `/campaigns/${encodeURIComponent(id)}/results`;
    const { results } = (await this.runner.ask(path, { limitMs: CHECK_DEADLINE_MS })) as { results?: CampaignResult[] };
    return results ?? [];
  }
}

interface Checked {
  readonly problems: readonly RowProblem[];
}

const requestOf = ({ name, contacts, perMinute, atOnce, hours, retry }: WishedCampaign) => ({
  name,
  contacts,
  per_minute: perMinute,
  at_once: atOnce,
  hours,
  retry,
});

function campaignIn(answer: unknown): CampaignProgress {
  const { campaign } = (answer ?? {}) as { campaign?: CampaignProgress };
  if (campaign) return campaign;
  throw new VoicebotError('VB_RUNNER_NOT_FOUND', 'it does not answer as a runner with campaigns does');
}
