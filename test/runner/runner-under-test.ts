import { fileURLToPath } from 'node:url';
import { plivo } from '../../src/carriers/plivo/carrier.js';
import { silentLogger } from '../../src/logger.js';
import type { CallRecord } from '../../src/runner/call-registry.js';
import { Runner, type RunnerOptions } from '../../src/runner/runner.js';
import { Inbox } from '../sandbox/inbox.js';
import { AUTH_ID, AUTH_TOKEN, HandCarrier } from './hand-carrier.js';

export const botFile = (name: string) => fileURLToPath(new URL(`bots/${name}`, import.meta.url));

/** A runner with a bot that does as it is told, and the carrier that calls it. */
export class RunnerUnderTest implements AsyncDisposable {
  readonly runner: Runner;
  readonly records = new Inbox<CallRecord>();
  readonly output = new Inbox<string>();
  readonly problems = new Inbox<string>();

  static async start(options: Partial<RunnerOptions> = {}): Promise<RunnerUnderTest> {
    const started = new RunnerUnderTest(options);
    await started.runner.start();
    return started;
  }

  /** Not started yet. */
  constructor(options: Partial<RunnerOptions> = {}) {
    this.runner = new Runner({
      botFile: botFile('puppet.mjs'),
      host: '127.0.0.1',
      port: 0,
      carrier: plivo,
      credentials: { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: 'http://127.0.0.1:1' },
      insecureWebhooks: false,
      callsPerProcess: 1,
      warm: 1,
      drainMs: 0,
      processEnvironment: { PATH: process.env.PATH ?? '' },
      botEnvironment: { CARRIER_AUTH_TOKEN: AUTH_TOKEN },
      logger: silentLogger,
      ...options,
    });
    this.runner.on('call', (record) => this.records.push(record));
    this.runner.on('bot_output', (line) => this.output.push(line));
    this.runner.on('problem', (message) => this.problems.push(message));
  }

  get carrier(): HandCarrier {
    return new HandCarrier(this.runner);
  }

  /** The next news of this call that says so. */
  record(id: string, expected: Partial<CallRecord>): Promise<CallRecord> {
    return this.records.next((record) =>
      Object.entries({ id, ...expected }).every(([name, value]) => record[name as keyof CallRecord] === value),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.runner.stop({ drainMs: 0 });
    await this.runner.stop(); // once more: at once
    await stopped;
  }
}
