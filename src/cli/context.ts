import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { allowsColour, type Environment, processEnvironment } from '../config/environment.js';
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

export const processContext = (): CliContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin: () => text(process.stdin),
  // Looked at only by whoever asks: standard input takes its time to open.
  get keyboard() {
    return process.stdin.isTTY && process.stderr.isTTY ? process.stdin : undefined;
  },
  environment: processEnvironment(),
  directory: process.cwd(),
});

/**
 * Asks the person at the terminal for a line.
 * @returns what was typed, without spaces around it; undefined when nobody is there
 * @throws StoppedBySignal when they leave instead
 */
export async function ask({ keyboard, stderr }: CliContext, question: string): Promise<string | undefined> {
  if (!keyboard) return undefined;
  const lines = createInterface({ input: keyboard, output: stderr });
  // Ctrl+C and Ctrl+D close it, and then there is no answer any more.
  const left = once(lines, 'close').then(() => {
    throw new StoppedBySignal('SIGINT');
  });
  try {
    return (await Promise.race([lines.question(question), left])).trim();
  } finally {
    lines.close();
  }
}

/** Where a command writes: in colour on a terminal, where the user allows it. */
export async function outputOf({ stdout, stderr, environment }: CliContext, json = false): Promise<Output> {
  const isColoured = stderr.isTTY && allowsColour(environment);
  return new Output({ json, stdout, stderr, ...(isColoured && { paint: await loadPaint() }) });
}
