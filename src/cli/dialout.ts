import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import type { DialOptions } from './dialout/dial-request.js';

/** `voicebot dialout`: has the running bot call a number. */
export const dialoutCommand = (context: CliContext): CliCommand =>
  new CliCommand('dialout')
    .description('have the running bot call a number')
    .argument('<number>', 'number to call, such as +15551234567')
    .option('--body <json>', 'custom data for the bot: a JSON object, or @file to read it from (@- for standard input)')
    .option('--query <name=value>', "custom parameter of the media stream's address; may be repeated", collect)
    .option('--time-zone <name>', 'where the callee is, such as Europe/Berlin (default: where the number may be)')
    .option('--wait', 'follow the call to its end')
    .runnerOptions('use')
    .outputOptions()
    .addHelpText(
      'after',
      notes(
        "Without --wait the call's identifier is printed and the call goes on by itself. With --wait exit " +
          'code 0 means that the callee answered and the bot served the call, 8 that the call did not succeed.',
      ),
    )
    .action(async (number: string, options: DialOptions) => {
      const { parseDialRequest } = await import('./dialout/dial-request.js');
      const { dialOut } = await import('./dialout/dial-out.js');
      const stdin = options.body === '@-' ? await context.readStdin() : undefined;
      const request = parseDialRequest(number, options, context.directory, stdin);
      await dialOut(request, context, await outputOf(context, options));
    });

const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];
