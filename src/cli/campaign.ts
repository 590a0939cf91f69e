import { CAMPAIGN_ORDERS, type CampaignOrder } from '../call/campaign-progress.js';
import { integer } from '../config/settings.js';
import { parseRetryRules } from '../runner/campaigns/retry-rules.js';
import { parseCallingHours } from '../runner/dialing/calling-hours.js';
import type { RunnerChoice } from '../runners/running-runners.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

interface CampaignOptions {
  bot?: string;
  perMinute?: string;
  atOnce?: string;
  hours?: string;
  retry?: string;
  skipBad?: boolean;
  output?: string;
  sandbox?: boolean;
  port?: string;
  server?: string;
  json?: boolean;
  verbose?: boolean;
}

/** `voicebot campaign`: has the bot call everybody in a file, and looks after campaigns that go on. */
export const campaignCommand = (context: CliContext): CliCommand =>
  new CliCommand('campaign')
    .description('have the bot call everybody in a CSV file, or look after such a campaign')
    .argument('<contacts>', 'CSV file with a column phone_number; or status, pause, resume, cancel')
    .argument(
      '[id]',
      'the campaign, after pause, resume and cancel (default: the only one that goes on), and after status',
    )
    .option('--bot <file>', 'serve this bot for as long as the campaign lasts (default: the running runner)')
    .option('--per-minute <n>', 'calls begun in a minute, evenly (default: 30)')
    .option('--at-once <n>', 'calls that go on at the same time (default: 10)')
    .option('--hours <from-to>', 'call between these times only, where the callee is, such as 9-18 or 9:30-17:00')
    .option('--retry <rules>', 'call again, such as busy:5m,no_answer:1h:3 (outcome:pause:times)')
    .option('--skip-bad', 'leave out the rows that cannot be called, instead of refusing the whole file')
    .option('--output <file>', 'where the results go (default: beside the contacts)')
    .option('--sandbox', 'with --bot: use the offline phone network even when credentials are there')
    .runnerOptions('use')
    .outputOptions()
    .addHelpText(
      'after',
      notes(
        'Columns: phone_number; time_zone (such as Europe/Berlin) and id, if wanted; every other one goes to the bot as ' +
          'custom data. Ctrl+C leaves the campaign running. Exit code 0 means that every contact was called, ' +
          'answered or not; 8 that something went wrong with some rows, or that it was cancelled.',
      ),
    )
    .action(async (contacts: string, id: string | undefined, options: CampaignOptions) => {
      const { checkRunnerChoice } = await import('../runners/runner-address.js');
      const { TypedOptions } = await import('../terminal/typed-options.js');
      const typed = new TypedOptions();
      const order = contacts === 'status' ? contacts : CAMPAIGN_ORDERS.find((known) => known === contacts);
      const choice = checkRunnerChoice(typed, options);
      const perMinute = typed.check('--per-minute', options.perMinute, integer(1, 10_000));
      const atOnce = typed.check('--at-once', options.atOnce, integer(1, 1_000));
      typed.check('--hours', options.hours, parseCallingHours);
      typed.check('--retry', options.retry, parseRetryRules);
      if (order === undefined && id !== undefined) typed.refuse(`${id}: one file of contacts at a time`);
      if (options.bot !== undefined && (choice.server ?? choice.port) !== undefined) {
        typed.refuse('--bot serves a bot of its own and cannot be combined with --server or --port');
      }
      if (options.sandbox && options.bot === undefined) typed.refuse('--sandbox is about --bot');
      typed.throwIfRefused();
      if (order) return await lookAfter(order, id, choice, options, context);
      const { runCampaign } = await import('./campaign/run-campaign.js');
      const { hours, retry, skipBad = false, output: results, bot, sandbox = false } = options;
      const wished = { perMinute, atOnce, hours, retry };
      const output = await outputOf(context, { json: options.json });
      await runCampaign({ file: contacts, wished, skipBad, results, bot, sandbox, choice }, context, output);
    });

async function lookAfter(
  order: CampaignOrder | 'status',
  id: string | undefined,
  choice: RunnerChoice,
  options: CampaignOptions,
  context: CliContext,
): Promise<void> {
  const { connectRunner } = await import('../runners/runner-address.js');
  const { showCampaigns } = await import('./campaign/show-campaigns.js');
  const { CampaignClient } = await import('./campaign/campaign-client.js');
  const client = new CampaignClient(await connectRunner({ ...choice, orStopping: true }, context));
  const output = await outputOf(context, options);
  await showCampaigns(client, { order, id, results: options.output, directory: context.directory }, output);
}
