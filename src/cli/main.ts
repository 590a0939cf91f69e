import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { errorText } from '../base/error-text.js';
import { type ErrorCode, type ErrorFields, VoicebotError } from '../base/errors.js';
import { packageVersion } from '../base/package-version.js';
import { CONFIG_FILES } from '../config/files.js';
import { ScenariosInvalid } from '../lab/test/scenarios-invalid.js';
import { BotLoadError } from '../runner/bots/bot-load-error.js';
import { type CliContext, outputOf, processContext, withoutColour } from '../terminal/context.js';
import { diskFull } from '../terminal/disk-full.js';
import { errorEvent } from '../terminal/error-event.js';
import { exceptionPlaceText } from '../terminal/exception-text.js';
import { EXIT, exitCodeOf, ReportedError } from '../terminal/exit-codes.js';
import { HELP_LAYOUT } from '../terminal/help.js';
import type { OutputStream } from '../terminal/output.js';
import { showCode } from '../terminal/show-code.js';
import { UsageError } from '../terminal/typed-options.js';
import { callCommand } from './call.js';
import { callingRulesCommand } from './calling-rules.js';
import { callsCommand } from './calls.js';
import { campaignCommand } from './campaign.js';
import { certifyCommand } from './certify.js';
import { completionCommand } from './completion.js';
import { configureNumberCommand } from './configure-number.js';
import { dialoutCommand } from './dialout.js';
import { doNotCallCommand } from './do-not-call.js';
import { doctorCommand } from './doctor.js';
import { initCommand } from './init.js';
import { loadCommand } from './load.js';
import { mcpCommand } from './mcp.js';
import { pricesCommand } from './prices.js';
import { replayCommand } from './replay.js';
import { restoreCommand } from './restore.js';
import { runCommand } from './run.js';
import { sandboxCommand } from './sandbox.js';
import { testCommand } from './test.js';

const NO_COLOR = '--no-color';

/**
 * Runs one command line and resolves with its exit code. Commands throw; only here are errors printed.
 * @param args the words after `voicebot`
 */
export async function main(args: readonly string[], given: CliContext = processContext()): Promise<number> {
  const context = args.includes(NO_COLOR) ? withoutColour(given) : given;
  const { stdout } = context;
  let full: VoicebotError | undefined;
  stdout.on('error', (error) => {
    full ??= diskFull(error, 'standard output');
  });
  const exitCode = await run(args, context);
  await new Promise<void>((resolve) => stdout.write('', () => resolve()));
  return full && exitCode === EXIT.done ? report(full, args, context) : exitCode;
}

/** All commands with their arguments and options. */
export function programOf(context: CliContext): Command {
  const program = new Command('voicebot')
    .description('put a voice bot on the telephone network')
    .version(packageVersion())
    .option(NO_COLOR, 'write without colours, as with NO_COLOR=1 in the environment')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      getOutHelpWidth: () => widthOf(context.stdout),
      getErrHelpWidth: () => widthOf(context.stderr),
      outputError: () => {},
    })
    .configureHelp(HELP_LAYOUT);
  const commands = [
    initCommand,
    runCommand,
    callCommand,
    testCommand,
    replayCommand,
    loadCommand,
    mcpCommand,
    dialoutCommand,
    campaignCommand,
    callsCommand,
    callingRulesCommand,
    pricesCommand,
    doNotCallCommand,
    sandboxCommand,
    configureNumberCommand,
    restoreCommand,
    doctorCommand,
    certifyCommand,
    completionCommand,
  ];
  for (const command of commands) program.addCommand(command(context).copyInheritedSettings(program));
  return program;
}

async function run(args: readonly string[], context: CliContext): Promise<number> {
  const extensionProblem = await findCarriers(args, context);
  const program = programOf(context);
  if (asksVersionAsJson(args)) {
    (await outputOf(context, { json: true })).event('version', versionReport());
    return EXIT.done;
  }
  if (args.every((word) => word === NO_COLOR)) {
    const { firstSteps } = await import('./first-steps.js');
    context.stderr.write(await firstSteps(context));
    return EXIT.usage;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    const isUnknownChoice = error instanceof CommanderError && error.code === 'commander.invalidArgument';
    return report(
      (isUnknownChoice && extensionProblem) || error,
      args,
      context,
      program.commands.map((command) => command.name()),
    );
  }
}

const FILES_OF_SETTINGS = ['.env.local', '.env', ...CONFIG_FILES];

/**
 * The carriers of extensions are choices of an option, so they are loaded before such a command line is read. What is wrong with
 * them is told by the commands that read settings, and where a choice is missing for it.
 */
async function findCarriers(args: readonly string[], { environment, directory }: CliContext): Promise<unknown> {
  if (!args.some((word) => word.startsWith('--carrier') || ['--help', '-h', 'help', 'completion'].includes(word)))
    return;
  const isNamed = environment.VOICEBOT_EXTENSIONS !== undefined;
  if (!isNamed && !FILES_OF_SETTINGS.some((name) => existsSync(join(directory, name)))) return; // help needs not load them
  const { resolveConfig } = await import('../config/config.js');
  return resolveConfig({ flags: {}, environment, directory }).then(
    () => undefined,
    (error: unknown) => (error instanceof VoicebotError && error.code === 'VB_EXTENSION_INVALID' ? error : undefined),
  );
}

/** Of a terminal, in characters; 80 off one. */
const widthOf = ({ isTTY, columns }: OutputStream) => (isTTY && columns ? columns : 80);

function asksVersionAsJson(args: readonly string[]): boolean {
  const isVersion = (word: string) => word === '--version' || word === '-V';
  return args.length === 2 && args.some(isVersion) && args.includes('--json');
}

/** What to quote in a report of a fault. */
const versionReport = () => ({
  voicebot: packageVersion(),
  node: process.versions.node,
  platform: `${process.platform}-${process.arch}`,
});

interface CommandFailure {
  readonly exitCode: number;
  /** What programs are told; nothing where an event of the command has said it. */
  readonly error?: ErrorFields | undefined;
  /** More of it for programs. */
  readonly details?: object;
  /** People have been told already. */
  readonly isTold?: boolean;
}

/** @param commands the names that there are */
async function report(
  thrown: unknown,
  args: readonly string[],
  context: CliContext,
  commands: readonly string[] = [],
): Promise<number> {
  const { exitCode, error, details, isTold = false } = failureOf(thrown, helpFor(args, commands));
  if (!error) return exitCode;
  const output = await outputOf(context, { json: args.includes('--json') });
  output.event('error', { ...errorEvent(error), ...details });
  if (isTold) return exitCode;
  // Standard error is for people in machine mode too: a program reads the event, its author the log.
  const text = await outputOf(context);
  const fitted = (words: string) => (text.columns === undefined ? words : text.fitted(words, 2));
  text.line(`${text.paint.red('✖')} ${fitted(error.message)}`);
  const { exception } = thrown instanceof BotLoadError ? thrown : {};
  for (const line of exception ? exceptionPlaceText(exception, text.paint) : []) text.line(line);
  if (error.hint) text.line(`  ${fitted(error.hint)}`);
  if (error.code !== 'VB_USAGE') await showCode(error.code, text, context);
  if (args.includes('--verbose') && thrown instanceof Error) text.line(text.paint.dim(withCauses(thrown)));
  return exitCode;
}

/** What to say about an error. @param help what lists the options of the command that was typed */
function failureOf(thrown: unknown, help: string): CommandFailure {
  const error = diskFull(thrown) ?? thrown;
  if (error instanceof ReportedError) {
    const { exitCode, message, error: told } = error;
    return { exitCode, error: told && { ...told, message }, isTold: true };
  }
  const usage = (message: string): CommandFailure => failure('VB_USAGE', message, `See: ${help}`);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: EXIT.done };
    if (error.code === 'commander.help') return { exitCode: EXIT.usage }; // no command given: the help has been shown
    return usage(error.message.replace(/^error: /, ''));
  }
  if (error instanceof UsageError) return usage(error.message);
  if (error instanceof VoicebotError) {
    return { ...failure(error.code, error.message, error.hint), details: detailsOf(error) };
  }
  return failure(
    'VB_INTERNAL',
    `Unexpected error: ${errorText(error)}`,
    'Run it again with --verbose to see where it happened.',
  );
}

function detailsOf(error: VoicebotError): object {
  if (error instanceof ScenariosInvalid) return { problems: error.problems };
  if (error instanceof BotLoadError && error.exception) return { exception: error.exception };
  return {};
}

const failure = (code: ErrorCode, message: string, hint: string | undefined): CommandFailure => ({
  exitCode: exitCodeOf(code),
  error: { code, message, hint },
});

/** The command to type for the help of the one that was typed, or for the list of all. */
function helpFor(args: readonly string[], commands: readonly string[]): string {
  const typed = args.find((word) => !word.startsWith('-'));
  return typed !== undefined && commands.includes(typed) ? `npx voicebot ${typed} --help` : 'npx voicebot --help';
}

function withCauses(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\n  caused by ${withCauses(error.cause)}` : own;
}
