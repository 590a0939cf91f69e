import { VoicebotError } from '../../base/errors.js';
import type { CampaignCondition, CampaignOrder, CampaignProgress } from '../../call/campaign-progress.js';
import type { Output } from '../../terminal/output.js';
import type { CampaignClient } from './campaign-client.js';
import { progressLine } from './campaign-report.js';
import { resultsPath, writeBareResults } from './results-file.js';

export interface CampaignQuestion {
  readonly order: CampaignOrder | 'status';
  /** Undefined: all campaigns are shown; an order, or a file of results, is for the only one that could be meant. */
  readonly id: string | undefined;
  /** Where to write what has come of it so far. */
  readonly results: string | undefined;
  readonly directory: string;
}

/**
 * Shows campaigns of a runner, or tells one to pause, go on or stop.
 * @throws VoicebotError with what the runner refuses; VB_FILE_EXISTS; VB_REQUEST_INVALID when no campaign is named, and not exactly one
 *   could be meant
 */
export async function showCampaigns(
  client: CampaignClient,
  { order, id: named, results, directory }: CampaignQuestion,
  output: Output,
): Promise<void> {
  const show = (campaign: CampaignProgress) => {
    output.event('campaign', { campaign });
    output.result(`${campaign.id}  ${campaign.name}  ${progressLine(campaign)}`);
  };
  if (order === 'status' && named === undefined && results === undefined) {
    const campaigns = await client.list();
    for (const campaign of campaigns) show(campaign);
    if (campaigns.length === 0) output.line('No campaigns.');
    return;
  }
  const path = results === undefined ? undefined : resultsPath(directory, results, '');
  const id = named ?? (await onlyOne(client, order));
  show(order === 'status' ? await client.progress(id) : await client.order(id, order));
  if (path === undefined) return;
  writeBareResults(path, await client.results(id));
  output.line(`Results: ${path}`);
}

/** Which campaigns can be meant. */
const CAN_BE: Readonly<Record<CampaignQuestion['order'], readonly CampaignCondition[]>> = {
  status: ['running', 'paused', 'done', 'cancelled'],
  pause: ['running'],
  resume: ['paused'],
  cancel: ['running', 'paused'],
};

async function onlyOne(client: CampaignClient, order: CampaignQuestion['order']): Promise<string> {
  const all = await client.list();
  const fitting = all.filter(({ condition }) => CAN_BE[order].includes(condition));
  const [first, ...others] = fitting;
  if (first && others.length === 0) return first.id;
  const names = fitting.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw first
    ? new VoicebotError('VB_REQUEST_INVALID', `${order} needs one of ${fitting.length} campaigns: ${names}`, {
        hint: `Name it: npx voicebot campaign ${order} ${first.id}`,
      })
    : new VoicebotError('VB_REQUEST_INVALID', `${order} needs a campaign, and none is ${CAN_BE[order].join(' or ')}`, {
        hint: 'See all: npx voicebot campaign status',
      });
}
