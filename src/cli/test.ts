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
  output?: string;
  coverage?: boolean;
  coverageMin?: string;
  watch?: boolean;
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
    .option('--output <dir>', 'also write pages of the test and its calls, with JUnit and the results so far')
    .option('--coverage', 'tell what of the bots no scenario touches: functions, transfers, sentences, keys, ends')
    .option('--coverage-min <percent>', 'fail when scenarios touch less; implies --coverage')
    .option('--watch', 'test again when a bot or a scenario is saved')
    .outputOptions("show where an error happened, and the runners' log")
    .addHelpText(
      'after',
      notes(
        'Exit code 1: a scenario failed, or coverage is too low. 2: a file of scenarios is not valid; no call was made.',
      ),
    )
    .action(async (files: string[], options: TestOptions) => {
      const { junitPath } = await import('../lab/test/junit.js');
      const { reportFolder } = await import('../lab/report/report-folder.js');
      const typed = new TypedOptions();
      const runs = typed.check('--runs', options.runs, integer(1, 1_000));
      const atOnce = typed.check('--at-once', options.atOnce, integer(1, 500)) ?? AT_ONCE;
      const junit = typed.check('--junit', options.junit, junitPath(context.directory));
      const pages = typed.check('--output', options.output, reportFolder(context.directory));
      const coverageMin = typed.check('--coverage-min', options.coverageMin, integer(0, 100));
      typed.throwIfRefused();
      const { bot, transport, carrier, name, real = false, watch = false, verbose = false } = options;
      const { testBots } = await import('../lab/test/test-command.js');
      await testBots(
        {
          files,
          bot,
          transport,
          carrier,
          runs,
          atOnce,
          name,
          usesReal: real,
          junit,
          output: pages,
          tellsCoverage: options.coverage === true || coverageMin !== undefined,
          coverageMin,
          watches: watch,
          isVerbose: verbose,
        },
        context,
        await outputOf(context, options),
      );
    });
