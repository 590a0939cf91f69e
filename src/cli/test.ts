import { Option } from 'commander';
import { TRANSPORTS, type TransportKind } from '../assembly/transports.js';
import { integer } from '../config/settings.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import { TypedOptions } from '../terminal/typed-options.js';

interface TestOptions {
  bot?: string;
  transport?: TransportKind;
  carrier?: CarrierName | 'all';
  runs?: string;
  atOnce?: string;
  name?: string;
  real?: boolean;
  junit?: string;
  watch?: boolean;
  mutate?: boolean;
  mutateMin?: string;
  json?: boolean;
  verbose?: boolean;
}

/** Calls at the same time where the user does not say how many. */
const AT_ONCE = 8;

/** `voicebot test`: scenarios as calls. */
export const testCommand = (context: CliContext): CliCommand =>
  new CliCommand('test')
    .description('test bots: make the calls of scenarios on the offline phone network, and compare what happens')
    .argument('[files...]', 'files of scenarios (.yaml, .scenario.ts) and folders of them (default: those below here)')
    .option('--bot <file>', 'the bot of scenarios that name none')
    .addOption(new Option('--transport <kind>', 'where a scenario does not say').choices(TRANSPORTS))
    .addOption(
      new Option('--carrier <name>', 'whose wire, where a scenario does not say; all: each').choices([
        ...CARRIER_NAMES,
        'all',
      ]),
    )
    .option('--runs <n>', 'run each scenario so often')
    .option('--at-once <n>', `calls at the same time (default: ${AT_ONCE})`)
    .option('--name <words>', 'only scenarios with these words in their names')
    .option('--real', "the bot's own services, with their keys, where a scenario does not say")
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--watch', 'test again when a bot or a scenario is saved')
    .option('--mutate', 'then break the bot in one way after the other, and list what no scenario notices')
    .option('--mutate-min <percent>', 'exit code 1 where scenarios notice less of that')
    .outputOptions("show where an error happened, and the runners' log")
    .addHelpText(
      'after',
      notes('Exit code 1: a scenario failed. 2: a file of scenarios is not valid; no call was made.'),
    )
    .action(async (files: string[], options: TestOptions) => {
      const { junitPath } = await import('../lab/test/junit.js');
      const typed = new TypedOptions();
      const runs = typed.check('--runs', options.runs, integer(1, 1_000));
      const atOnce = typed.check('--at-once', options.atOnce, integer(1, 500)) ?? AT_ONCE;
      const junit = typed.check('--junit', options.junit, junitPath(context.directory));
      const leastPercent = typed.check('--mutate-min', options.mutateMin, integer(0, 100));
      const { bot, transport, carrier, name, real = false, watch = false, verbose = false, mutate = false } = options;
      if (mutate && watch) typed.refuse('--mutate and --watch exclude each other');
      if (options.mutateMin !== undefined && !mutate) typed.refuse('--mutate-min is for --mutate');
      typed.throwIfRefused();
      const request = {
        files,
        bot,
        transport,
        carrier,
        runs,
        atOnce,
        name,
        usesReal: real,
        junit,
        isVerbose: verbose,
      };
      const output = await outputOf(context, options);
      if (mutate) {
        const { mutateBots } = await import('../lab/mutate/mutate-command.js');
        await mutateBots({ ...request, leastPercent }, context, output);
      } else {
        const { testBots } = await import('../lab/test/test-command.js');
        await testBots({ ...request, watches: watch }, context, output);
      }
    });
