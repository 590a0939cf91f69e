import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Inbox } from './sandbox/inbox.js';

const LOADER = new URL('jest/loader.mjs', import.meta.url).href;

/** A program of the tests, in TypeScript, in a process that can be killed. */
export class ProgramToKill implements AsyncDisposable {
  /** What it writes, line by line. */
  readonly lines = new Inbox<string>();
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(program: URL, args: readonly string[], environment?: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, ['--import', LOADER, fileURLToPath(program), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(environment && { env: { PATH: process.env.PATH, ...environment } }),
    });
    this.#closed = once(this.#child, 'close');
    const { stdout } = this.#child;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.lines.push(line));
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#closed;
  }

  /** Kills it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.end('SIGKILL');
  }
}
