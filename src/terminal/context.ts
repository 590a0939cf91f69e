import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { unlessAborted } from '../base/async/deadline.js';
import { cleanText } from '../base/clean-text.js';
import { type Environment, isAutomated, movesCursor, processEnvironment, wantsColour } from '../config/environment.js';
import { loadPaint, Output, type OutputStream } from './output.js';
import { StoppedBySignal } from './signals.js';

/** What a command may touch of the process it runs in. */
export interface CliContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Reads standard input to its end. */
  readonly readStdin: () => Promise<string>;
  /** The keyboard, where a person sits at a terminal; undefined for programs and pipes. */
  readonly keyboard?: ReadStream | undefined;
  readonly environment: Environment;
  /** Absolute path of the working directory. */
  readonly directory: string;
  /** Of the Node.js that the command runs on, without a `v`. */
  readonly nodeVersion: string;
}

/** @param own the process that the command runs in */
export function processContext(
  own: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'> = process,
  environment = processEnvironment(),
): CliContext {
  return {
    stdout: own.stdout,
    stderr: own.stderr,
    readStdin: () => text(own.stdin),
    // A getter, because standard input takes its time to open.
    get keyboard() {
      return !isAutomated(environment) && own.stdin.isTTY && own.stderr.isTTY ? own.stdin : undefined;
    },
    environment,
    directory: process.cwd(),
    nodeVersion: process.versions.node,
  };
}

/**
 * Asks the person at the terminal for a line.
 * @param stopped the answer is not wanted any more
 * @returns what was typed, without spaces around it; undefined when no person is there
 * @throws StoppedBySignal when they press Ctrl-C or Ctrl-D instead; the signal's reason
 */
export async function ask(
  { keyboard, stderr }: CliContext,
  question: string,
  stopped?: AbortSignal,
): Promise<string | undefined> {
  if (!keyboard) return undefined;
  stopped?.throwIfAborted();
  const lines = createInterface({ input: keyboard, output: stderr });
  const answer = () =>
    new Promise<string>((resolve, reject) => {
      const leave = () => reject(new StoppedBySignal('SIGINT'));
      lines.once('close', leave);
      lines.question(question).then((line) => resolve(line.trim()), leave);
    });
  try {
    return await (stopped ? unlessAborted(answer(), stopped) : answer());
  } finally {
    lines.close();
  }
}

/** Whether an answer to `[y/N]` is a yes. */
export const saysYes = (answer: string | undefined): boolean => /^y(es)?$/i.test(answer ?? '');

/** Wrong answers to a choice before it counts as not made. */
const MAX_TRIES = 3;

/**
 * Lets the person at the terminal choose: by the number of a row, counted from 1.
 * @returns undefined when no person is there, or they chose none
 * @throws as {@link ask}
 */
export async function askWhich<Choice>(
  context: CliContext,
  heading: string,
  choices: readonly Choice[],
  rowOf: (choice: Choice) => string,
  stopped?: AbortSignal,
): Promise<Choice | undefined> {
  if (!context.keyboard) return undefined;
  const rows = choices.map((choice, at) => `  ${at + 1}  ${cleanText(rowOf(choice))}`);
  context.stderr.write(`${[heading, ...rows].join('\n')}\n`);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = (await ask(context, `Which one? [1-${choices.length}] `, stopped)) ?? '';
    const chosen = /^\d{1,4}$/.test(answer) ? choices[Number(answer) - 1] : undefined;
    if (chosen !== undefined || answer === '') return chosen;
  }
  return undefined;
}

export interface OutputChoice {
  /** Machine mode. */
  json?: boolean | undefined;
  /** The command runs for long: its lines have the time of day, and off a terminal the date and the level. */
  isTimed?: boolean;
  /** Standard error is a log for programs. */
  logsJson?: boolean;
}

/** Where a command writes: in colour on a terminal, where the user allows it. */
export async function outputOf(
  context: CliContext,
  { json = false, isTimed = false, logsJson = false }: OutputChoice = {},
): Promise<Output> {
  const { stdout, stderr, environment } = context;
  const isTerminal = stderr.isTTY === true;
  // A terminal without a width cannot take a spinner back; the one of a build server is kept as a log.
  const canRewriteLines = isTerminal && stderr.columns !== 0 && movesCursor(environment) && !isAutomated(environment);
  const paint = wantsColour(environment, isTerminal) ? { paint: await loadPaint() } : {};
  const stamp = isTimed ? { stamp: isTerminal ? ('time' as const) : ('date' as const) } : {};
  return new Output({ json, logsJson, canRewriteLines, stdout, stderr, ...stamp, ...paint });
}

/** The same, as if colours had been refused in the environment. The keyboard, a getter, is not opened by this. */
export function withoutColour(context: CliContext): CliContext {
  const environment = { ...context.environment, NO_COLOR: '1', FORCE_COLOR: undefined };
  const properties = Object.getOwnPropertyDescriptors(context);
  return Object.defineProperties({} as CliContext, {
    ...properties,
    environment: { value: environment, enumerable: true },
  });
}
