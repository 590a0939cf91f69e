import { resolve } from 'node:path';
import { Option } from 'commander';
import { CARRIER_HELP, TRANSPORTS } from '../assembly/transports.js';
import { phoneNumber, SETTINGS } from '../config/settings.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { TUNNEL_KINDS } from '../runner/tunnel/contract.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import { checked } from '../terminal/typed-options.js';
import type { CertifyOptions } from './certify/certify-request.js';

/** Names with commas, or the option several times. */
const list = (raw: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...raw.split(',').map((name) => name.trim()),
];

/** `voicebot certify`: compares a provider's wire with the sandbox's. */
export const certifyCommand = (context: CliContext): CliCommand =>
  new CliCommand('certify')
    .description('a tour of calls on your own account, which shows where its wire differs from the sandbox')
    .addOption(
      new Option('--transport <kind>', 'the account to take the tour on (default: carrier)').choices(TRANSPORTS),
    )
    .addOption(new Option('--carrier <name>', CARRIER_HELP).choices(CARRIER_NAMES))
    .option('--sandbox', 'rehearse on the sandbox: programs use the telephones, nothing is charged')
    .option('--number <number>', "the account's number to take (default: its only one)", checked(phoneNumber))
    .option('--my-number <number>', 'your telephone, which calls and is called (default: VOICEBOT_MY_NUMBER)')
    .option('--colleague <number>', 'a second telephone of yours, for transfers')
    .option('--wrong-number <number>', 'a number that is not assigned')
    .option('--only <steps>', 'play these steps only, with commas', list)
    .option('--skip <steps>', 'leave these steps out, with commas', list)
    .option('--output <folder>', 'where the result goes (default: certify-<provider>-<day>)')
    .option('--resume <folder>', 'go on with the tour of this folder, of the same account and version')
    .option('--compare <folder>', 'make no call: compare the tour of this folder again, with this version')
    .option(
      '--public-url <url>',
      'https address under which the provider reaches this server',
      checked(SETTINGS.publicUrl.parse),
    )
    .addOption(
      new Option('--tunnel <kind>', 'how the provider reaches this server')
        .choices(['auto', ...TUNNEL_KINDS])
        .default(undefined, 'auto'),
    )
    .option('--port <port>', 'port of the server, 0 for any free one (default: 7860)', checked(SETTINGS.port.parse))
    .option('--take', 'take the number even from another run that holds it')
    .option('--yes', 'begin without a question')
    .outputOptions('log everything to standard error')
    .addHelpText(
      'after',
      notes(
        'Every webhook, REST answer and stream message of the provider is compared with what the sandbox says in the same place. ' +
          'The folder holds no numbers, names, identifiers and sound. Exit code 0: certified; 8: something that matters is different, or a step failed.',
      ),
    )
    .action(async (options: CertifyOptions) => {
      const { parseCertifyRequest } = await import('./certify/certify-request.js');
      if (options.compare !== undefined) return await compare(options.compare, options, context);
      const request = await parseCertifyRequest(options, context);
      const output = await outputOf(context, { json: options.json, isTimed: true });
      const { runCertify } = await import('./certify/run-certify.js');
      await runCertify(request, context, output);
    });

async function compare(folder: string, { json }: CertifyOptions, context: CliContext): Promise<void> {
  const { compareAgain } = await import('./certify/compare-tour.js');
  compareAgain(resolve(context.directory, folder), await outputOf(context, { json }));
}
