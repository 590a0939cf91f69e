import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { allowsColour, type Environment, isAutomated, processEnvironment } from '../config/environment.js';
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
  };
}

/**
 * Asks the person at the terminal for a line.
 * @returns what was typed, without spaces around it; undefined when nobody is there
 * @throws StoppedBySignal when they press Ctrl-C or Ctrl-D instead
 */
export async function ask({ keyboard, stderr }: CliContext, question: string): Promise<string | undefined> {
  if (!keyboard) return undefined;
  const lines = createInterface({ input: keyboard, output: stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const leave = () => reject(new StoppedBySignal('SIGINT'));
      lines.once('close', leave);
      lines.question(question).then((line) => resolve(line.trim()), leave);
    });
  } finally {
    lines.close();
  }
}

/** Where a command writes: in colour on a terminal, where the user allows it. */
export async function outputOf({ stdout, stderr, environment }: CliContext, json = false): Promise<Output> {
  const isColoured = stderr.isTTY && allowsColour(environment);
  return new Output({ json, stdout, stderr, ...(isColoured && { paint: await loadPaint() }) });
}
