import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../src/base/logger.js';
import type { CallRecord } from '../../src/call/call-record.js';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { plivo } from '../../src/providers/plivo/provider.js';
import type { CarrierAccess } from '../../src/runner/calls/carrier/carrier-adapter.js';
import { Runner } from '../../src/runner/runner.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { Inbox } from '../sandbox/inbox.js';
import { HandApi } from './hand-api.js';
import { AUTH_ID, AUTH_TOKEN, HandCarrier } from './hand-carrier.js';

export const RUNNER_TOKEN = 'token-of-the-runner-under-test';

export const botFile = (name: string) => fileURLToPath(new URL(`bots/${name}`, import.meta.url));

/** What a test changes of a runner and of the carrier it is on. */
export type TestRunnerOptions = Partial<RunnerOptions & Omit<CarrierAccess, 'kind'>>;

/** A runner with a bot that does as it is told, and the carrier that calls it. */
export class RunnerUnderTest implements AsyncDisposable {
  readonly runner: Runner;
  readonly stateDirectory: string;
  #api: HandApi | undefined;
  readonly records = new Inbox<CallRecord>();
  readonly output = new Inbox<string>();
  readonly problems = new Inbox<string>();
  /** What has happened in its calls. */
  readonly noted: TimelineEvent[] = [];

  static async start(options: TestRunnerOptions = {}): Promise<RunnerUnderTest> {
    const api = await HandApi.start();
    const credentials = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: api.url };
    const started = new RunnerUnderTest({ credentials, ...options });
    started.#api = api;
    await started.runner.start();
    return started;
  }

  /** The carrier's voice API that the runner uses. */
  get api(): HandApi {
    if (!this.#api) throw new Error('not started with an API');
    return this.#api;
  }

  /** Not started yet. */
  constructor({
    carrier = plivo,
    credentials,
    machineDetection = 'off',
    isWideband,
    takesUnsignedStreams,
    ...options
  }: TestRunnerOptions = {}) {
    this.stateDirectory = options.stateDirectory ?? mkdtempSync(join(tmpdir(), 'voicebot-state-'));
    this.runner = new Runner({
      botFile: botFile('puppet.mjs'),
      host: '127.0.0.1',
      port: 0,
      provider: {
        kind: 'carrier',
        carrier,
        credentials: credentials ?? { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: 'http://127.0.0.1:1' },
        machineDetection,
        isWideband,
        takesUnsignedStreams,
      },
      insecureWebhooks: false,
      token: RUNNER_TOKEN,
      phoneNumber: '+12025550100',
      dialLimits: { perMinute: 1_000, atOnce: 100, secondsPerNumber: 0 },
      dialMaxSeconds: 900,
      ringSeconds: 45,
      maxCallSeconds: 3_600,
      silenceSeconds: 180,
      stateDirectory: this.stateDirectory,
      callsPerProcess: 1,
      warm: 1,
      botMemoryBytes: 0,
      drainMs: 0,
      processEnvironment: { PATH: process.env.PATH ?? '' },
      botEnvironment: { CARRIER_AUTH_TOKEN: AUTH_TOKEN },
      logger: silentLogger,
      ...options,
    });
    this.runner.on('call', (record) => this.records.push(record));
    this.runner.on('bot_output', (line) => this.output.push(line));
    this.runner.on('noted', (_callId, event) => this.noted.push(event));
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
    await this.#api?.[Symbol.asyncDispose]();
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}
