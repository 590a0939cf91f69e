import { Option } from 'commander';
import { CARRIER_HELP, CARRIER_OF_ROOMS, TRANSPORTS } from '../assembly/transports.js';
import { SETTINGS } from '../config/settings.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { TUNNEL_KINDS } from '../runner/tunnel/contract.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import { checked, UsageError } from '../terminal/typed-options.js';
import type { DoctorOptions } from './doctor/examine.js';

/** `voicebot doctor`: finds what would keep a real call from reaching the bot, and says how to mend it. */
export const doctorCommand = (context: CliContext): CliCommand =>
  new CliCommand('doctor')
    .description('check everything a real call needs, without changing anything')
    .argument('[bot]', 'path to the bot file (default: the bundled demo bot)')
    .addOption(
      new Option('--transport <kind>', 'account to check (default: every one there are credentials for)').choices(
        TRANSPORTS,
      ),
    )
    .addOption(new Option('--carrier <name>', CARRIER_HELP).choices(CARRIER_NAMES))
    .addOption(
      new Option('--tunnel <kind>', 'check this tunnel even without an account').choices([
        'auto',
        ...TUNNEL_KINDS,
        'none',
      ]),
    )
    .option('--public-url <url>', 'check this public address in place of a tunnel', checked(SETTINGS.publicUrl.parse))
    .option('--port <port>', 'port of the server (default: 7860)', checked(SETTINGS.port.parse))
    .outputOptions()
    .addHelpText('after', notes('The exit code is that of the first failure; warnings alone leave it at 0.'))
    .action(async (bot: string | undefined, options: DoctorOptions) => {
      if (options.carrier && options.transport === 'rooms') throw new UsageError([CARRIER_OF_ROOMS]);
      const { examine } = await import('./doctor/examine.js');
      await examine(bot, options, context, await outputOf(context, options));
    });
