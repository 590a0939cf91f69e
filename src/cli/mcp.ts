import { Command, Option } from 'commander';
import { CARRIER_HELP, TRANSPORTS, type TransportKind } from '../assembly/transports.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import type { CliContext } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

interface McpOptions {
  transport?: TransportKind;
  carrier?: CarrierName;
  real?: boolean;
}

/** `voicebot mcp`: a phone lab for coding agents. */
export const mcpCommand = (context: CliContext): Command =>
  new Command('mcp')
    .description('serve a phone lab to coding agents, over the Model Context Protocol on standard input and output')
    .argument('[bot]', 'path to the bot file (default: the bundled demo bot)')
    .addOption(new Option('--transport <kind>', 'how calls reach the bot (default: carrier)').choices(TRANSPORTS))
    .addOption(new Option('--carrier <name>', CARRIER_HELP).choices(CARRIER_NAMES))
    .option('--real', "the bot's own services, with their keys (default: scripted ones)")
    .option('--json', 'write an error as an event to standard output')
    .option('--verbose', 'show where an error happened')
    .addHelpText(
      'after',
      notes('Calls are made on the offline phone network. VOICEBOT_LAB_NUMBERS names real numbers that may be called.'),
    )
    .action(async (bot: string | undefined, { transport, carrier, real = false }: McpOptions) => {
      const { resolveConfig } = await import('../config/config.js');
      const given = Object.entries({ bot, transport, carrier }).filter(([, value]) => value !== undefined);
      const { environment, directory } = context;
      const config = await resolveConfig({ flags: Object.fromEntries(given), environment, directory });
      const { serveLab } = await import('../lab/mcp/serve-lab.js');
      await serveLab({ config, context, usesReal: real });
    });
