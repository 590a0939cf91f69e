import { Option } from 'commander';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import type { CallOptions, TypedAct } from './call/call-request.js';

/** A caller's number in the range kept for fiction. */
const DEFAULT_FROM = '+12025550199';

/** `voicebot call`: a telephone in the terminal. */
export const callCommand = (context: CliContext): CliCommand => {
  const acts: TypedAct[] = [];
  const act = (option: TypedAct['option'], description: string, value: string) =>
    new Option(`${option} <${value}>`, description).argParser((typed: string) => {
      acts.push({ option, value: typed });
      return typed;
    });
  return new CliCommand('call')
    .description('call a bot from the terminal, over the sandbox')
    .argument('[number]', "number to call (default: the running bot's)")
    .addOption(act('--say', 'say this when the bot has finished speaking', 'text'))
    .addOption(act('--wav', 'say what is in this WAV file when the bot has finished speaking', 'file'))
    .addOption(act('--dtmf', 'press keys, such as "1 w2 #": w2 waits two seconds', 'keys'))
    .option('--talk-over', 'say everything from the moment of the answer, without waiting for the bot')
    .option('--seconds <n>', 'hang up this long after the answer')
    .option('--record <file>', 'write the call to a WAV file: left the caller, right the bot')
    .option('--play', 'play both sides aloud while the call goes on, where this machine can')
    .option('--from <number>', 'number to call from', DEFAULT_FROM)
    .option(
      '--port <port>',
      'call the runner on this port (default: of several on the sandbox the one started last in this folder)',
    )
    .option('--server <url>', 'call the runner at this address')
    .option('--answer-url <url>', 'call a server of your own on this machine instead of a runner')
    .addOption(
      new Option('--carrier <name>', 'with --answer-url: whose webhooks and streams the server gets').choices(
        CARRIER_NAMES,
      ),
    )
    .outputOptions()
    .addHelpText(
      'after',
      notes(
        '--say, --wav and --dtmf can be given several times and are done in the order in which they are typed. ' +
          'Without --seconds the call ends when the bot hangs up or after 120 s; with any of the three also when ' +
          'all is said and pressed and neither side has said anything for 5 s. Exit code 8: the call did not succeed.',
      ),
    )
    .action(async (number: string | undefined, options: CallOptions) => {
      const { parseCallRequest } = await import('./call/call-request.js');
      const { placeCall } = await import('./call/place-call.js');
      const request = await parseCallRequest(number, { ...options, acts }, context.directory);
      await placeCall(request, context, await outputOf(context, options));
    });
};
