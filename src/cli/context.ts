import { text } from 'node:stream/consumers';
import { allowsColour, type Environment, processEnvironment } from '../config/environment.js';
import { Output, type OutputStream } from './output.js';

/** What a command may touch of the process it runs in. */
export interface CliContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Reads standard input to its end. */
  readonly readStdin: () => Promise<string>;
  readonly environment: Environment;
  /** Absolute path of the working directory. */
  readonly directory: string;
}

export const processContext = (): CliContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin: () => text(process.stdin),
  environment: processEnvironment(),
  directory: process.cwd(),
});

export const outputOf = ({ stdout, stderr, environment }: CliContext, json = false): Output =>
  new Output({ json, stdout, stderr, allowsColour: allowsColour(environment) });
