import { Option } from 'commander';
import { CARRIER_HELP, TRANSPORTS } from '../assembly/transports.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import type { ConfigureOptions } from './configure-number/change.js';

/** `voicebot configure-number`: who answers the account's numbers, and who shall. */
export const configureNumberCommand = (context: CliContext): CliCommand =>
  new CliCommand('configure-number')
    .description('list the numbers of the account and who answers them, or point one at a server')
    .argument('[number]', 'number to change, such as +15551234567 (default: list them all)')
    .addOption(
      new Option('--transport <kind>', 'account to use (default: every one there are credentials for)').choices(
        TRANSPORTS,
      ),
    )
    .addOption(new Option('--carrier <name>', CARRIER_HELP).choices(CARRIER_NAMES))
    .option('--url <url>', 'point it at this server: its https address, or the whole address of the webhook')
    .option('--port <port>', 'point it at the runner on this port (default: the one started last)')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--reset', 'put back what was there before voicebot changed it')
    .option('--take', 'take the number even from a run that holds it')
    .option('--yes', 'do not ask before another webhook is replaced')
    .outputOptions()
    .addHelpText(
      'after',
      notes({
        heading: 'Examples:',
        rows: [
          ['npx voicebot configure-number'],
          ['npx voicebot configure-number +15551234567 --url https://bot.example.com --dry-run'],
          ['npx voicebot configure-number +15551234567 --reset'],
        ],
      }),
    )
    .action(async (number: string | undefined, options: ConfigureOptions) => {
      const { configureNumber, parseConfigureRequest } = await import('./configure-number/change.js');
      await configureNumber(parseConfigureRequest(number, options), context, await outputOf(context, options));
    });
