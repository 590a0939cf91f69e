import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';
import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { cleanText } from '../../../base/clean-text.js';
import { browserFlags } from './browser-flags.js';
import { BrowserFolder } from './browser-folder.js';

/** Of its error output, what is kept: so many lines of so many characters. */
const KEPT_LINES = 5;
const LINE_LIMIT = 300;
/** How long they may come after it has ended, in milliseconds. */
const LAST_WORDS_LIMIT_MS = 200;

export interface BrowserProcessOptions {
  /** Absolute path. */
  readonly program: string;
  /** What it is started with; its temporary folder is another one. */
  readonly environment: Readonly<Record<string, string>>;
  readonly isSandboxed: boolean;
}

/**
 * A browser that we have started, driven over a pipe: when this process ends, however it ends, the pipe breaks off and the browser
 * ends too.
 */
export class BrowserProcess {
  /** Resolves when it has ended, with how: `code 1`, `signal SIGKILL`, or why there is no such process. */
  readonly exited: Promise<string>;
  /** Resolves when nothing of it is left. */
  readonly removed: Promise<void>;
  readonly #child: ChildProcess;
  readonly #folder = new BrowserFolder();
  readonly #exited = deferred<string>();
  readonly #read = deferred();
  #exit: string | undefined;
  readonly #lines: string[] = [];
  readonly #onExit = () => this.#endNow();

  constructor({ program, environment, isSandboxed }: BrowserProcessOptions) {
    this.exited = this.#exited.promise;
    this.removed = this.exited.then(() => this.#remove());
    const { profile, temporary } = this.#folder;
    // It leaves files in its temporary folder when it is killed, and its crash reports and caches belong to the user, not to the
    // profile. Elsewhere than on Linux it does not ask for these, or paths become too long.
    const folders = { TMPDIR: temporary, XDG_CONFIG_HOME: temporary, XDG_CACHE_HOME: temporary };
    this.#child = spawn(program, browserFlags(profile, isSandboxed), {
      env: { ...environment, ...(process.platform === 'linux' && folders) },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      detached: true, // a process group of its own: Ctrl-C is for us, who end calls first
    });
    process.once('exit', this.#onExit);
    this.#child.once('error', (error) => this.#onExited(error.message));
    this.#child.once('exit', (code, signal) => this.#onExited(signal ? `signal ${signal}` : `code ${code}`));
    const [, , stderr, commands] = this.#child.stdio;
    commands?.on('error', () => {}); // shows as the exit
    const lines = createInterface({ input: stderr as Readable });
    lines.on('line', (line) => this.#keep(line));
    lines.once('close', () => this.#read.resolve());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How it has ended; undefined while it runs. */
  get exit(): string | undefined {
    return this.#exit;
  }

  /** What it has written last to its error output, one line after the other. */
  get lastWords(): string {
    return this.#lines.join('\n');
  }

  /** Its commands and events, which end with a zero byte each. */
  get transport(): ConnectionTransport {
    const [, , , commands, events] = this.#child.stdio as [null, null, Readable, Writable, Readable];
    const transport: ConnectionTransport = {
      send: (message) => void commands.write(`${message}\0`),
      close: () => {},
    };
    let begun = '';
    events.setEncoding('utf8');
    events.on('data', (text: string) => {
      const messages = `${begun}${text}`.split('\0');
      begun = messages.pop() ?? '';
      for (const message of messages) transport.onmessage?.(message);
    });
    const onClose = () => transport.onclose?.();
    this.#child.once('exit', onClose).once('error', onClose);
    return transport;
  }

  /** Ends it and everything it has started, at once. */
  kill(): void {
    try {
      if (process.platform === 'win32' || this.#child.pid === undefined) this.#child.kill('SIGKILL');
      else process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // no process is left in the group
    }
  }

  #keep(line: string): void {
    const words = cleanText(line, LINE_LIMIT).trim();
    if (words === '') return;
    this.#lines.push(words);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  #onExited(how: string): void {
    this.#exit ??= how;
    this.kill(); // what it has started may still be there
    this.#exited.resolve(how);
  }

  async #remove(): Promise<void> {
    await this.#folder.remove().catch(() => {}); // the next browser tries again
    process.off('exit', this.#onExit);
    await settlesWithin(this.#read.promise, LAST_WORDS_LIMIT_MS);
  }

  /** This process ends, and nothing can be waited for. */
  #endNow(): void {
    if (this.#exit === undefined) this.kill();
    try {
      this.#folder.removeNow();
    } catch {
      // the next browser tries again
    }
  }
}
