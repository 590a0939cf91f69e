import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, type RunningCommand } from '../cli/in-process.js';
import { AUTH_TOKEN } from '../sandbox/fake-caller.js';
import { Accounts, ROOMS_KEY, SHARED_NUMBER } from './accounts.js';
import { allGone, ChildrenWatch, childrenOf } from './processes.js';
import { ProviderLine } from './provider-line.js';
import { RunHere } from './run-here.js';
import { type CliEvent, Voicebot } from './voicebot.js';

export type Transport = 'carrier' | 'rooms';

export interface RunOptions {
  transport?: Transport;
  /** After `run --transport … --dialin --port 0`. */
  args?: string[];
  /** In place of what the accounts say. */
  environment?: Record<string, string>;
  /** State directory. Default: that of the accounts. */
  home?: string;
}

export interface Refusal {
  readonly exitCode: number | null;
  readonly error: CliEvent;
  /** What people were shown. */
  readonly told: string;
  /** Processes that it had started. */
  readonly started: readonly number[];
}

/** Commands on accounts whose line to the provider can fail, and how the accounts were before. */
export class AccountRuns implements AsyncDisposable {
  readonly #open: AsyncDisposable[] = [];

  static async open(): Promise<AccountRuns> {
    const accounts = await Accounts.open();
    return new AccountRuns(accounts, await ProviderLine.to(accounts.sandbox.url), await accounts.stored());
  }

  private constructor(
    readonly accounts: Accounts,
    readonly line: ProviderLine,
    readonly before: readonly string[],
  ) {}

  run({ transport = 'carrier', args = [], environment = {}, home = this.accounts.home }: RunOptions = {}): Voicebot {
    const options = { home, cwd: this.accounts.home, environment: this.#environment(environment) };
    const voicebot = new Voicebot(runArgs(transport, args), options);
    this.#open.push(voicebot);
    return voicebot;
  }

  /** A run inside this process, whose bots count as loaded. No other one may be open. */
  runHere(options: RunOptions = {}): RunHere {
    const run = new RunHere(() => this.#command(options));
    this.#open.push(run);
    return run;
  }

  /** A run, inside this process, that is refused, changes nothing and leaves nothing. @returns what it says of it */
  async refused(options: RunOptions = {}): Promise<Refusal> {
    const before = childrenOf(process.pid);
    const watch = new ChildrenWatch(process.pid);
    const changes = () => this.line.writes.filter(({ path }) => !isOfTrialRoom(path));
    const earlier = changes();
    const { exitCode, stderr, events } = await this.#command(options).finished;
    const started = watch.end().filter((pid) => !before.includes(pid));
    await allGone(started);
    expect(changes()).toEqual(earlier);
    const [error, ...more] = events.filter(({ event }) => event === 'error');
    expect(more).toEqual([]);
    return { exitCode, error: error as CliEvent, told: stderr, started };
  }

  /**
   * `voicebot restore`, inside this process.
   * @param args after it. What a run inside this process has left is given back only when forced: its process goes on
   * @returns its exit code
   */
  async restore(...args: string[]): Promise<number | null> {
    const environment = { VOICEBOT_HOME: this.accounts.home, ...this.#environment({}) };
    const { exitCode, stdout, stderr } = await command(['restore', ...args, '--json'], this.accounts.home, environment)
      .finished;
    expectNoSecret(stdout + stderr);
    return exitCode;
  }

  #command({ transport = 'carrier', args = [], environment = {}, home }: RunOptions): RunningCommand {
    const { finished, shown } = command([...runArgs(transport, args), '--json'], this.accounts.home, {
      PATH: process.env.PATH,
      VOICEBOT_HOME: home ?? this.accounts.home,
      ...this.#environment(environment),
    });
    const checked = finished.then((result) => {
      expectNoSecret(result.stderr + result.stdout);
      return result;
    });
    return { finished: checked, shown };
  }

  #environment(more: Record<string, string>): Record<string, string> {
    const { sandbox } = this.accounts;
    const urls = { CARRIER_API_URL: this.line.via(sandbox.apiUrl), ROOMS_API_URL: this.line.via(sandbox.roomsApiUrl) };
    return { ...this.accounts.environment(SHARED_NUMBER), ...urls, ...more };
  }

  /** Nothing is left of these runs: not at the providers, not in the journal, no process; and no secret was shown. */
  async expectAsBefore(...runs: Voicebot[]): Promise<void> {
    expect(await this.accounts.stored()).toEqual(this.before);
    expect(await this.accounts.rooms()).toEqual([]);
    expect(this.journal()).toEqual([]);
    for (const run of runs) {
      await allGone(run.children());
      expectNoSecret(told(run) + JSON.stringify(run.events.all));
    }
  }

  /** Names of the numbers' files that wait in the journal. */
  journal(): string[] {
    const names = readdirSync(this.accounts.home).includes('leases') ? readdirSync(this.leases) : [];
    return names.filter((name) => name.endsWith('.json'));
  }

  get leases(): string {
    return join(this.accounts.home, 'leases');
  }

  /** Ends what still runs, and has the line as it should be. */
  async tidy(): Promise<void> {
    for (const run of this.#open.splice(0)) await run[Symbol.asyncDispose]();
    this.line.repair();
    this.line.requests.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tidy();
    await this.line[Symbol.asyncDispose]();
    await this.accounts[Symbol.asyncDispose]();
  }
}

/** Opens them before the tests of a file, and tidies up after each. @param begin is given them */
export function openAccountRuns(
  begin: (runs: AccountRuns) => void,
  after?: (runs: AccountRuns) => Promise<void>,
): void {
  let runs: AccountRuns;
  beforeAll(async () => {
    runs = await AccountRuns.open();
    begin(runs);
  }, 30_000);
  afterEach(async () => {
    await runs.tidy();
    await after?.(runs);
  }, 30_000);
  afterAll(() => runs[Symbol.asyncDispose](), 30_000);
}

/** Waits for a run to be ready, and tells all it has said when it is not. */
export async function ready(run: Voicebot): Promise<CliEvent> {
  const ended = run.exit.then((exitCode) => Promise.reject(new Error(`it has ended with ${exitCode}`)));
  try {
    return await Promise.race([run.event('ready', {}, 40_000), ended]);
  } catch (cause) {
    const said = [...run.events.all.map((event) => JSON.stringify(event)), told(run)].join('\n');
    throw new Error(`not ready: ${(cause as Error).message}\n${said}`, { cause });
  }
}

const runArgs = (transport: Transport, args: readonly string[]) => [
  'run',
  '--transport',
  transport,
  '--dialin',
  '--port',
  '0',
  ...args,
];

function expectNoSecret(text: string): void {
  for (const secret of [AUTH_TOKEN, ROOMS_KEY]) expect(text).not.toContain(secret);
}

/** What a command has shown to people. */
export const told = ({ lines }: Voicebot): string => lines.all.join('\n');

/** A room that a run tries, and deletes, before it changes anything. */
export const isOfTrialRoom = (path: string) => /\/v1\/(rooms(\/voicebot-\w+)?|meeting-tokens)$/.test(path);
