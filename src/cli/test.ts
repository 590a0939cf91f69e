import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
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
  speed?: string | true;
  text?: boolean;
  name?: string;
  tag?: string;
  failed?: boolean;
  bail?: string | true;
  shard?: string;
  list?: boolean;
  real?: boolean;
  junit?: string;
  output?: string;
  coverage?: boolean;
  coverageMin?: string;
  watch?: boolean;
  fuzz?: string;
  seed?: string;
  fuzzSilence?: string;
  mutate?: boolean;
  mutateMin?: string;
  json?: boolean;
  verbose?: boolean;
}

/** Calls at the same time where the user does not say how many: each takes about half a core, and more when it begins. */
const AT_ONCE = Math.min(8, 2 * availableParallelism());
/** A caller who has done everything waits 10 s for a bot that says nothing. */
const FUZZ_SILENCE_S = 12;
/** Times the speed of a telephone, where the user does not say how many. */
const DEFAULT_SPEED = 4;
const MAX_SPEED = 8;

/** A path as it was typed, of a file that is there. */
const fileThere =
  (directory: string) =>
  (typed: string): string => {
    const path = resolve(directory, typed);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${path}`);
    return typed;
  };

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
    .option('--speed [n]', `so many times as fast where nothing needs real time (alone: ${DEFAULT_SPEED})`)
    .option('--text', 'wording alone where nothing needs speech: all say short tones in place of words')
    .option('--name <text>', 'only scenarios with this in their names; /…/ is a regular expression')
    .option('--tag <tags>', 'only scenarios with one of these tags; !tag leaves those with it out')
    .option('--failed', 'only scenarios that failed, or could not be run, the last time')
    .option('--bail [n]', 'begin no more calls after so many scenarios that failed (default: 1)')
    .option('--shard <part>', 'only a part of the scenarios, such as 2/5: the second of five')
    .option('--list', 'show the scenarios that would be run, and make no call')
    .option('--real', "the bot's own services, with their keys, where a scenario does not say")
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--output <dir>', 'also write pages of the test and its calls, with JUnit and the results so far')
    .option('--coverage', 'tell what of the bots no scenario touches: functions, transfers, sentences, keys, ends')
    .option('--coverage-min <percent>', 'fail when scenarios touch less; implies --coverage')
    .option('--watch', 'test again what a saved file touches; keys choose what else')
    .option('--fuzz <calls>', "random callers of the chosen scenarios' bots, against what must always hold")
    .option('--seed <n>', 'with --fuzz: the same callers again')
    .option('--fuzz-silence <seconds>', 'with --fuzz: the longest that neither side is heard; 0: any (default: 12)')
    .option('--mutate', 'then break the bot in one way after the other, and list what no scenario notices')
    .option('--mutate-min <percent>', 'exit code 1 where scenarios notice less of that')
    .outputOptions("show where an error happened, and the runners' log")
    .addHelpText(
      'after',
      notes(
        'Exit code 1: a scenario failed, or coverage is too low. 2: a file of scenarios is not valid, or nothing is left to run; no call was made.',
      ),
    )
    .action(async (files: string[], options: TestOptions) => {
      const { junitPath } = await import('../lab/test/junit.js');
      const { NameFilter, parseShard, TagFilter } = await import('../lab/test/test-filters.js');
      const { reportFolder } = await import('../lab/report/report-folder.js');
      const typed = new TypedOptions();
      const runs = typed.check('--runs', options.runs, integer(1, 1_000));
      const atOnce = typed.check('--at-once', options.atOnce, integer(1, 500)) ?? AT_ONCE;
      const speed = typed.check(
        '--speed',
        options.speed === true ? String(DEFAULT_SPEED) : options.speed,
        integer(2, MAX_SPEED),
      );
      const junit = typed.check('--junit', options.junit, junitPath(context.directory));
      const choice = {
        name: typed.check('--name', options.name, (raw) => new NameFilter(raw)),
        tags: typed.check('--tag', options.tag, (raw) => new TagFilter(raw)),
        isFailed: options.failed ?? false,
        shard: typed.check('--shard', options.shard, parseShard),
      };
      const bail = typed.check('--bail', options.bail === true ? '1' : options.bail, integer(1, 1_000));
      const bot = typed.check('--bot', options.bot, fileThere(context.directory));
      const { transport, carrier, real = false, watch = false, list = false, verbose = false } = options;
      const { mutate = false } = options;
      if (watch && list) typed.refuse('--list: makes no call, so that --watch means nothing');
      const fuzz = typed.check('--fuzz', options.fuzz, integer(1, 10_000));
      const seed = typed.check('--seed', options.seed, integer(1, 1_000_000));
      const silence = typed.check('--fuzz-silence', options.fuzzSilence, integer(0, 600));
      if (fuzz === undefined && (seed ?? silence) !== undefined)
        typed.refuse('--seed and --fuzz-silence are for --fuzz');
      const others = [
        'watch',
        'list',
        'junit',
        'output',
        'coverage',
        'coverageMin',
        'runs',
        'bail',
        'speed',
        'text',
      ] as const;
      const beside = others.filter((name) => options[name] !== undefined);
      if (fuzz !== undefined && beside.length > 0)
        typed.refuse(
          '--fuzz makes calls of its own: no --watch, --list, --junit, --output, --coverage, --runs, --bail, --speed and --text',
        );
      if (speed !== undefined && options.text) typed.refuse('--speed and --text: one of the two');
      const leastPercent = typed.check('--mutate-min', options.mutateMin, integer(0, 100));
      if (mutate && (watch || list || fuzz !== undefined))
        typed.refuse('--mutate cannot be combined with --watch, --list and --fuzz');
      if (options.mutateMin !== undefined && !mutate) typed.refuse('--mutate-min is for --mutate');
      const pages = typed.check('--output', options.output, reportFolder(context.directory));
      const coverageMin = typed.check('--coverage-min', options.coverageMin, integer(0, 100));
      typed.throwIfRefused();
      const request = {
        files,
        bot,
        transport,
        carrier,
        runs,
        atOnce,
        choice,
        bail,
        isList: list,
        speed,
        isTextOnly: options.text ?? false,
        usesReal: real,
        junit,
        output: pages,
        tellsCoverage: options.coverage === true || coverageMin !== undefined,
        coverageMin,
        watches: watch,
        isVerbose: verbose,
      };
      const output = await outputOf(context, options);
      if (fuzz !== undefined) {
        const { fuzzBots } = await import('../lab/fuzz/fuzz-command.js');
        const chosen = {
          calls: fuzz,
          seed: seed ?? randomInt(1, 1_000_000),
          silenceMs: (silence ?? FUZZ_SILENCE_S) * 1_000,
        };
        return fuzzBots({ ...request, ...chosen }, context, output);
      }
      if (mutate) {
        const { mutateBots } = await import('../lab/mutate/mutate-command.js');
        return mutateBots({ ...request, leastPercent }, context, output);
      }
      const { testBots } = await import('../lab/test/test-command.js');
      return testBots(request, context, output);
    });
