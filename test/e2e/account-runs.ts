import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AUTH_TOKEN } from '../sandbox/fake-caller.js';
import { Accounts, ROOMS_KEY, SHARED_NUMBER } from './accounts.js';
import { allGone } from './processes.js';
import { ProviderLine } from './provider-line.js';
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

/** Commands on accounts whose line to the provider can fail, and how the accounts were before. */
export class AccountRuns implements AsyncDisposable {
  readonly #open: Voicebot[] = [];

  static async open(): Promise<AccountRuns> {
    const accounts = await Accounts.open();
    return new AccountRuns(accounts, await ProviderLine.to(accounts.sandbox.url), await accounts.stored());
  }

  private constructor(
    readonly accounts: Accounts,
    readonly line: ProviderLine,
    readonly before: readonly string[],
  ) {}

  run({ transport = 'carrier', args = [], environment, home }: RunOptions = {}): Voicebot {
    return this.command(['run', '--transport', transport, '--dialin', '--port', '0', ...args], environment, home);
  }

  command(args: string[], environment: Record<string, string> = {}, home = this.accounts.home): Voicebot {
    const { sandbox } = this.accounts;
    const urls = { CARRIER_API_URL: this.line.via(sandbox.apiUrl), ROOMS_API_URL: this.line.via(sandbox.roomsApiUrl) };
    const voicebot = new Voicebot(args, {
      home,
      cwd: this.accounts.home,
      environment: { ...this.accounts.environment(SHARED_NUMBER), ...urls, ...environment },
    });
    this.#open.push(voicebot);
    return voicebot;
  }

  /** Waits for the end of a run that has changed nothing and left nothing. @returns its exit code and what it says of it */
  async refused(run: Voicebot): Promise<{ exitCode: number | null; error: CliEvent; told: string }> {
    const exitCode = await run.exitWatched();
    await this.expectAsBefore(run);
    expect(this.line.writes).toEqual([]);
    const [error, ...more] = run.events.all.filter(({ event }) => event === 'error');
    expect(more).toEqual([]);
    return { exitCode, error: error as CliEvent, told: told(run) };
  }

  /** Nothing is left of these runs: not at the providers, not in the journal, no process; and no secret was shown. */
  async expectAsBefore(...runs: Voicebot[]): Promise<void> {
    expect(await this.accounts.stored()).toEqual(this.before);
    expect(this.journal()).toEqual([]);
    for (const run of runs) {
      await allGone(run.children());
      for (const secret of [AUTH_TOKEN, ROOMS_KEY]) {
        expect(told(run)).not.toContain(secret);
        expect(JSON.stringify(run.events.all)).not.toContain(secret);
      }
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
    for (const voicebot of this.#open.splice(0)) await voicebot[Symbol.asyncDispose]();
    this.line.repair();
    this.line.requests.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tidy();
    await this.line[Symbol.asyncDispose]();
    await this.accounts[Symbol.asyncDispose]();
  }
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

/** What a command has shown to people. */
export const told = ({ lines }: Voicebot): string => lines.all.join('\n');
