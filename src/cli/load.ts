import { Option } from 'commander';
import type { LoadOptions } from '../lab/load/load-request.js';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

/** `voicebot load`: many calls at once. */
export const loadCommand = (context: CliContext): CliCommand =>
  new CliCommand('load')
    .description('make many calls to a bot at once, on the offline phone network, and measure what callers notice')
    .argument('[bot]', 'the bot file (default: the configured one, or the demo)')
    .option('--calls <n>', 'how many, at most 1000 (default: 200; with --find 1000: the most that is tried)')
    .option('--ramp <time>', 'from the first caller to the last (default: 30s; with --find as soon as bots wait)')
    .option(
      '--seconds <n>',
      'length of each call (default: 30); with --find, how long calls that go on are measured (6)',
    )
    .option('--scenario <file>', 'callers do what the caller of this scenario does')
    .option('--say <text>', 'what the others say whenever it is their turn')
    .option('--find', 'find how many calls may go on, and how many may come within a second')
    .option('--limit-first-word <time>', 'first word after the answer, for 95 of 100 calls (default: 2s)')
    .option('--limit-gap <time>', 'longest gap in the audio, for 95 of 100 calls (default: 200ms)')
    .option('--limit-missing <percent>', 'audio that is missing (default: 0.5)')
    .option('--limit-failed <percent>', 'calls that failed, were turned away or ended early (default: 0)')
    .addOption(new Option('--carrier <name>', 'whose wire').choices(CARRIER_NAMES))
    .option('--calls-per-process <n>', 'calls that one process of the bot serves (default: as configured)')
    .option('--warm <n>', 'bot processes kept ready for the next call (default: as configured)')
    .option('--answer-url <url>', 'call a server of your own on this machine instead of a bot')
    .option('--pid <n>', 'its process, for its CPU and memory')
    .option('--real', "the bot's own services, with their keys")
    .outputOptions("show where an error happened, and the runner's log")
    .addHelpText(
      'after',
      notes('Ctrl+C ends the calls and shows what was measured so far. Exit code 1: a limit is broken, shown with ✖.'),
    )
    .action(async (bot: string | undefined, options: LoadOptions) => {
      const { parseLoadRequest } = await import('../lab/load/load-request.js');
      const request = await parseLoadRequest(bot, options, context);
      const { runLoad } = await import('../lab/load/run-load.js');
      await runLoad(request, context, await outputOf(context, { json: options.json }));
    });
