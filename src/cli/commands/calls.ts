import { Command } from 'commander';
import { type CliContext, outputOf } from '../context.js';

interface CallsOptions {
  port?: string;
  server?: string;
  json?: boolean;
}

/** `voicebot calls`: what a runner knows about its calls. */
export const callsCommand = (context: CliContext): Command =>
  new Command('calls')
    .description("list the running bot's calls, or show one")
    .argument('[id]', 'identifier of the call to show, or enough of its beginning')
    .option('--port <port>', 'ask the runner on this port (default: the one started last)')
    .option('--server <url>', 'ask the runner at this address, with VOICEBOT_TOKEN')
    .option('--json', 'write events to standard output, one JSON object per line')
    .option('--verbose', 'show where an error happened')
    .action(async (id: string | undefined, options: CallsOptions) => {
      const { checkRunnerChoice, connectRunner } = await import('../runner-address.js');
      const { TypedOptions } = await import('../typed-options.js');
      const { showCall, showCalls } = await import('../show-calls.js');
      const typed = new TypedOptions();
      const choice = checkRunnerChoice(typed, options);
      if (id === '') typed.refuse('the identifier of the call is empty');
      typed.throwIfRefused();
      const runner = await connectRunner({ ...choice, orStopping: true }, context);
      const output = await outputOf(context, options);
      await (id === undefined ? showCalls(runner, output) : showCall(runner, id, output));
    });
