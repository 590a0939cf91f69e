import type { CampaignOrder, CampaignProgress } from '../../call/campaign-progress.js';
import type { Output } from '../../terminal/output.js';
import type { CampaignClient } from './campaign-client.js';
import { progressLine } from './campaign-report.js';
import { resultsPath, writeBareResults } from './results-file.js';

export interface CampaignQuestion {
  readonly order: CampaignOrder | 'status';
  /** Undefined: all campaigns are shown. */
  readonly id: string | undefined;
  /** Where to write what has come of it so far. */
  readonly results: string | undefined;
  readonly directory: string;
}

/**
 * Shows campaigns of a runner, or tells one to pause, go on or stop.
 * @throws VoicebotError with what the runner refuses; VB_FILE_EXISTS
 */
export async function showCampaigns(
  client: CampaignClient,
  { order, id, results, directory }: CampaignQuestion,
  output: Output,
): Promise<void> {
  const show = (campaign: CampaignProgress) => {
    output.event('campaign', { campaign });
    output.result(`${campaign.id}  ${campaign.name}  ${progressLine(campaign)}`);
  };
  if (id === undefined) {
    const campaigns = await client.list();
    for (const campaign of campaigns) show(campaign);
    if (campaigns.length === 0) output.line('No campaigns.');
    return;
  }
  const path = results === undefined ? undefined : resultsPath(directory, results, '');
  show(order === 'status' ? await client.progress(id) : await client.order(id, order));
  if (path === undefined) return;
  writeBareResults(path, await client.results(id));
  output.line(`Results: ${path}`);
}
