import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allGone } from './processes.js';
import { type Served, Voicebot } from './voicebot.js';

/** Runners on the sandbox and calls to them, with a state directory of their own. */
export class ServedCalls {
  readonly home = mkdtempSync(join(tmpdir(), 'voicebot-e2e-'));
  readonly #open: Voicebot[] = [];

  async serve(bot?: string, more: string[] = [], environment: Record<string, string> = {}): Promise<Served> {
    const served = await Voicebot.serve(bot, { home: this.home, environment }, more);
    this.#open.push(served);
    return served;
  }

  start(args: string[]): Voicebot {
    const voicebot = new Voicebot(args, { home: this.home, cwd: this.home });
    this.#open.push(voicebot);
    return voicebot;
  }

  /** A call in progress. */
  async call({ port }: Served, args: string[] = []): Promise<Voicebot> {
    const caller = this.start(['call', '--port', `${port}`, ...args]);
    await caller.event('answered');
    return caller;
  }

  /** Ends whatever still runs. */
  async end(): Promise<void> {
    for (const voicebot of this.#open.splice(0)) await voicebot[Symbol.asyncDispose]();
  }

  remove(): void {
    rmSync(this.home, { recursive: true });
  }
}

/** A runner without calls ends at once with this exit code, and leaves nothing. */
export async function expectEndedAtOnce(served: ServedCalls, signal: NodeJS.Signals, code: number): Promise<void> {
  const voicebot = await served.serve();
  const pids = voicebot.children();
  expect(pids.length).toBeGreaterThanOrEqual(2); // a warm bot and the sandbox
  voicebot.signal(signal);
  expect(await voicebot.exit).toBe(code);
  await allGone(pids);
  await expect(fetch(`${voicebot.url}/health`)).rejects.toThrow();
}

/** Why the calls of a runner ended, as it has told. */
export const endReasons = ({ events }: Voicebot) =>
  events.all.filter(({ call }) => call?.state === 'ended').map(({ call }) => call.endReason);
