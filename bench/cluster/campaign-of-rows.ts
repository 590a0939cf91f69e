import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignProgress, CampaignResult } from '../../src/call/campaign-progress.js';

export interface CampaignTerms {
  readonly rows: number;
  readonly perMinute: number;
  readonly atOnce: number;
  /** As `--retry` has it. */
  readonly retry: string;
}

/** What has become of a campaign. */
export interface CampaignRun {
  /** Undefined when it was not over in time. */
  readonly results: readonly CampaignResult[];
  readonly isOver: boolean;
  /** Questions that no runner answered, or that one refused for the time being. */
  readonly unanswered: number;
}

const AGAIN_MS = 1_000;
const REQUEST_LIMIT_MS = 15_000;
/** How long rows may take besides what their limit for a minute makes of them, in milliseconds. */
const SLACK_MS = 600_000;

/** Numbers that answer and talk in the sandbox. */
const numberOf = (row: number): string => `+1${5_551_002_000 + row}`;

/** Begins a campaign at the balancer and follows it there, whichever runner answers. */
export async function runCampaign(url: string, token: string, terms: CampaignTerms): Promise<CampaignRun> {
  const { rows, perMinute, atOnce, retry } = terms;
  const contacts = Array.from({ length: rows }, (_, row) => ({ phone_number: numberOf(row) }));
  const body = JSON.stringify({ contacts, per_minute: perMinute, at_once: atOnce, retry });
  const key = { 'idempotency-key': randomUUID() };
  const limit = performance.now() + (rows / perMinute) * 60_000 + SLACK_MS;
  let unanswered = 0;
  const ask = async <T>(method: string, path: string, more: RequestInit = {}): Promise<T | undefined> => {
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more.headers };
      const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
      const response = await fetch(url + path, { ...more, method, headers, signal });
      if (response.ok) return (await response.json()) as T;
    } catch {}
    unanswered += 1;
    await delay(AGAIN_MS);
    return undefined;
  };
  let campaign: CampaignProgress | undefined;
  while (!campaign && performance.now() < limit) {
    campaign = (await ask<{ campaign: CampaignProgress }>('POST', '/campaigns', { body, headers: key }))?.campaign;
  }
  const path = `/campaigns/${campaign?.id}`;
  while (campaign?.condition === 'running' && performance.now() < limit) {
    await delay(AGAIN_MS);
    campaign = (await ask<{ campaign: CampaignProgress }>('GET', path))?.campaign ?? campaign;
  }
  const isOver = campaign?.condition === 'done';
  let results: readonly CampaignResult[] | undefined;
  for (let tries = 0; tries < 20 && !results; tries += 1) {
    results = (await ask<{ results: CampaignResult[] }>('GET', `${path}/results`))?.results;
  }
  return { results: results ?? [], isOver, unanswered };
}
