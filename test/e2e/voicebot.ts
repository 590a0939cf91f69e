import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { Inbox } from '../sandbox/inbox.js';
import { childrenOf, until } from './processes.js';

// biome-ignore lint/suspicious/noExplicitAny: events are checked by the tests that read them
export type CliEvent = { event: string } & Record<string, any>;

export interface StartOptions {
  /** State directory, so that nothing of this machine takes part. */
  home: string;
  cwd?: string;
  /** Settings, as environment variables. */
  environment?: Record<string, string>;
  /** Root of a compiled clone whose command it is, with a slash at its end. Default: this one. */
  root?: string;
  /** For `run`. Default `carrier`. */
  transport?: 'carrier' | 'rooms';
}

/** The real command, compiled, while it runs. Always with `--json`. */
export class Voicebot implements AsyncDisposable {
  /** What it prints for programs. */
  readonly events = new Inbox<CliEvent>();
  /** What it prints for people, line by line. */
  readonly lines = new Inbox<string>();
  /** Exit code; null when a signal ended it. */
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  /** Bots and sandbox it has started; each leads a process group. */
  readonly #children = new Set<number>();

  constructor(args: readonly string[], { home, root = PACKAGE_ROOT, cwd = root, environment = {} }: StartOptions) {
    const { PATH, HOME } = process.env;
    this.#child = spawn(process.execPath, [`${root}bin/voicebot.js`, ...args, '--json'], {
      env: { PATH, HOME, VOICEBOT_HOME: home, ...environment },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.events.push(JSON.parse(line)));
    if (stderr) createInterface({ input: stderr }).on('line', (line) => this.lines.push(line));
    this.exit = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** `run`, up to the moment it is ready. */
  static async serve(bot: string | undefined, options: StartOptions, more: string[] = []): Promise<Served> {
    const args = [
      'run',
      ...(bot ? [bot] : []),
      '--transport',
      options.transport ?? 'carrier',
      '--dialin',
      '--sandbox',
      '--port',
      '0',
      ...more,
    ];
    const voicebot = new Voicebot(args, options);
    try {
      const { port, url } = await voicebot.event('ready', {}, 60_000);
      const readyBots = async () => {
        const response = await fetch(`${url}/ready`);
        return ((await response.json()) as { readyBots: number }).readyBots;
      };
      return Object.assign(voicebot, { port, url, readyBots });
    } catch (error) {
      await voicebot[Symbol.asyncDispose]();
      throw new Error(`not ready: ${voicebot.lines.all.join('\n')}`, { cause: error });
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** The next event of this name whose fields are as given. */
  event(name: string, fields: object = {}, limitMs = 10_000): Promise<CliEvent> {
    return this.events.next(
      (event) => event.event === name && Object.entries(fields).every(([field, value]) => event[field] === value),
      limitMs,
    );
  }

  /** Bots and sandbox that have been there when this was asked, or before. */
  children(): number[] {
    for (const pid of childrenOf(this.pid)) this.#children.add(pid);
    return [...this.#children];
  }

  /** Waits for its exit and looks meanwhile what it starts. */
  async exitWatched(): Promise<number | null> {
    let isOver = false;
    void this.exit.then(() => {
      isOver = true;
    });
    await until(() => this.children() && isOver, 'the command ends', 60_000);
    return await this.exit;
  }

  signal(signal: NodeJS.Signals): void {
    this.children();
    this.#child.kill(signal);
  }

  /** Ends it, however it is, and everything it has started. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.exit;
    for (const pid of this.#children) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // has ended already
      }
    }
  }
}

/** A runner that is ready. */
export type Served = Voicebot & {
  readonly port: number;
  readonly url: string;
  /** How many bot processes could take a call now. */
  readyBots(): Promise<number>;
};
