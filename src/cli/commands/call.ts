import { Command } from 'commander';
import type { CallOptions } from '../call-request.js';
import { type CliContext, outputOf } from '../context.js';
import { notes } from '../help.js';

/** A caller's number in the range kept for fiction. */
const DEFAULT_FROM = '+12025550199';

/** `voicebot call`: a telephone in the terminal. */
export const callCommand = (context: CliContext): Command =>
  new Command('call')
    .description('call a bot from the terminal, over the sandbox')
    .argument('[number]', "number to call (default: the running bot's)")
    .option('--wav <file>', 'say what is in this WAV file, from the moment of the answer')
    .option('--dtmf <keys>', 'press keys, such as "1 w2 #": w2 waits two seconds')
    .option('--seconds <n>', 'hang up this long after the answer')
    .option('--record <file>', 'write the call to a WAV file: left the caller, right the bot')
    .option('--from <number>', 'number to call from', DEFAULT_FROM)
    .option('--port <port>', 'call the runner on this port (default: the one started last)')
    .option('--server <url>', 'call the runner at this address')
    .option('--answer-url <url>', 'call a server of your own on this machine instead of a runner')
    .option('--json', 'write events to standard output, one JSON object per line')
    .option('--verbose', 'show where an error happened')
    .addHelpText(
      'after',
      notes(
        'Without --seconds the call ends when the bot hangs up or after 120 s; with --wav or --dtmf also ' +
          'when all is said and pressed and the bot has been silent for 5 s. Exit code 8: the call did not succeed.',
      ),
    )
    .action(async (number: string | undefined, options: CallOptions) => {
      const { parseCallRequest } = await import('../call-request.js');
      const { placeCall } = await import('../place-call.js');
      const request = parseCallRequest(number, options, context.directory);
      await placeCall(request, context, await outputOf(context, options));
    });
