import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settlesWithin } from '../../../src/base/async/deadline.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { allGone, childrenOf, until } from '../../e2e/processes.js';
import { Voicebot } from '../../e2e/voicebot.js';

/** Longest time a runner may take to be ready, and to end after its calls, in milliseconds. */
const READY_MS = 30_000;
/** Longest time it may take to end its calls and itself when it is told to at once, in milliseconds. */
const END_LIMIT_MS = 10_000;

export interface MachineOptions {
  /** Folder of its own, where the machine keeps its state. */
  readonly directory: string;
  readonly port: number;
  /** Of the runner. */
  readonly token: string;
  /** After `run`, by the root of the clone whose version it is. */
  readonly args: (root: string) => readonly string[];
  /** Root of a compiled clone, with a slash at its end: of another version, say. Default: this one. */
  readonly root?: string;
  /** Settings and secrets, as environment variables of the runner. */
  readonly environment: Readonly<Record<string, string>>;
  /** What bots find in their environment. */
  readonly botEnvironment: Readonly<Record<string, string>>;
}

/** A machine with one runner and its bots. It can die and come back, with the same address and the same disk. */
export class RunnerMachine implements AsyncDisposable {
  readonly url: string;
  /** Of the clone that the next start takes its version from. */
  root: string;
  #run: Voicebot | undefined;
  /** Every process there has been. */
  readonly #processes = new Set<number>();

  constructor(private readonly options: MachineOptions) {
    this.root = options.root ?? PACKAGE_ROOT;
    this.url = `http://127.0.0.1:${options.port}`;
    mkdirSync(options.directory, { recursive: true });
    const lines = Object.entries(options.botEnvironment).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(options.directory, '.env'), lines.join(''));
  }

  /** All processes that have run on it so far: runners and bots. */
  get processes(): readonly number[] {
    this.#look();
    return [...this.#processes];
  }

  /** Lines of the present runner and its bots, for people who look for a fault. */
  get lines(): readonly string[] {
    return this.#run?.lines.all ?? [];
  }

  /** Resolves when a bot waits for a call. */
  start(): Promise<void> {
    return this.#startUntil(() => this.isReady(), 'a runner is ready');
  }

  /** Resolves when the run has printed that it is ready: with `--dialin` its number leads to it then. */
  startWithNumber(): Promise<void> {
    const isReady = () => this.#run?.events.all.some(({ event }) => event === 'ready') === true;
    return this.#startUntil(isReady, 'the number leads to the run');
  }

  async #startUntil(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const { directory, port, args, environment, token } = this.options;
    const run = new Voicebot(['run', ...args(this.root), '--port', String(port)], {
      root: this.root,
      home: join(directory, 'home'),
      cwd: directory,
      environment: { ...environment, VOICEBOT_TOKEN: token },
    });
    this.#run = run;
    let hasEnded = false;
    const ended = run.exit.then((code) => {
      hasEnded = true;
      const said = [...run.lines.all, ...run.events.all.map((event) => JSON.stringify(event))];
      throw new Error(`the runner has ended with ${code}: ${said.join('\n')}`);
    });
    ended.catch(() => {}); // afterwards it ends because it is told to
    await Promise.race([until(() => hasEnded || holds(), what, READY_MS), ended]);
  }

  async isReady(): Promise<boolean> {
    const response = await this.ask('GET', '/ready').catch(() => undefined);
    return response?.status === 200;
  }

  /** Asks the runner itself, past the balancer. */
  ask(method: string, path: string): Promise<Response> {
    return fetch(this.url + path, { method, headers: { authorization: `Bearer ${this.options.token}` } });
  }

  /** The machine dies: runner and bots at the same moment, none of which can say goodbye. @returns when, of the monotonic clock in milliseconds */
  async die(): Promise<number> {
    const run = this.#run;
    if (!run) throw new Error('the machine is off');
    process.kill(run.pid, 'SIGSTOP'); // it starts no bot between the look and the end
    const bots = this.#look();
    const diedMs = performance.now();
    for (const pid of bots) killGroup(pid);
    process.kill(run.pid, 'SIGKILL');
    await run.exit;
    this.#run = undefined;
    await allGone(bots);
    return diedMs;
  }

  /** The runner dies, and its bots go on with their calls. */
  async loseRunner(): Promise<void> {
    const run = this.#run;
    if (!run) throw new Error('the machine is off');
    this.#look();
    process.kill(run.pid, 'SIGKILL');
    await run.exit;
    this.#run = undefined;
  }

  /** The runner stands still, and its bots go on. */
  pause(): void {
    if (this.#run) process.kill(this.#run.pid, 'SIGSTOP');
  }

  /** It goes on as if nothing had been. */
  resume(): void {
    this.#run?.signal('SIGCONT'); // means nothing to one that has ended
  }

  /** Live calls that the runner has itself. */
  async liveCalls(): Promise<number> {
    const { liveCalls } = (await (await this.ask('GET', '/status')).json()) as { liveCalls: number };
    return liveCalls;
  }

  /** Tells the runner to stop when its calls are over, and waits until it has. */
  async drain(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    this.#look();
    run.signal('SIGTERM');
    await run.exitWatched();
    this.#run = undefined;
  }

  /** Ends the runner and its calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    const run = this.#run;
    if (!run) return;
    this.#look();
    run.signal('SIGINT');
    run.signal('SIGINT'); // once more: at once
    await settlesWithin(run.exit, END_LIMIT_MS);
    await run[Symbol.asyncDispose]();
    this.#run = undefined;
  }

  /** @returns the bots that run */
  #look(): number[] {
    if (!this.#run) return [];
    const bots = childrenOf(this.#run.pid);
    for (const pid of [this.#run.pid, ...bots]) this.#processes.add(pid);
    return bots;
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // has ended already
  }
}
