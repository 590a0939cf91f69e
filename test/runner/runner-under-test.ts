import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exceptionLines } from '../../src/base/exception/exception.js';
import { parseFields } from '../../src/base/http/json-fields.js';
import { silentLogger } from '../../src/base/logger.js';
import type { CallRecord } from '../../src/call/call-record.js';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { plivo } from '../../src/providers/plivo/provider.js';
import type { CarrierAccess } from '../../src/runner/calls/carrier/carrier-adapter.js';
import { Runner } from '../../src/runner/runner.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { until } from '../e2e/processes.js';
import { Inbox } from '../sandbox/inbox.js';
import { HandApi } from './hand-api.js';
import {
  AUTH_ID,
  AUTH_TOKEN,
  HandCarrier,
  type StartAnswer,
  type StartOptions,
  send,
  startCall,
} from './hand-carrier.js';

export const RUNNER_TOKEN = 'token-of-the-runner-under-test';

export const botFile = (name: string) => fileURLToPath(new URL(`bots/${name}`, import.meta.url));

/** What a bot has written of itself, as JSON in a line. */
export interface Told {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: checked by the tests that read it
  readonly [field: string]: any;
}

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
  /** The lines of the output that are JSON. */
  readonly told: Told[] = [];
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
    this.runner.on('bot_output', (line, _callId, exception) => {
      this.output.push(line);
      if (exception) for (const each of exceptionLines(exception)) this.output.push(each);
      const told = parseFields(line) as Told | undefined;
      if (told) this.told.push(told);
    });
    this.runner.on('noted', (_callId, event) => this.noted.push(event));
    this.runner.on('problem', (message) => this.problems.push(message));
  }

  get url(): string {
    return this.runner.url;
  }

  get carrier(): HandCarrier {
    return new HandCarrier(this.runner);
  }

  /** A request of an operator. */
  ask(path: string, request: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` };
    return fetch(this.url + path, { ...request, headers });
  }

  /** `POST /start`, with the token. */
  startCall(request: object, { query = '', headers = {} }: StartOptions = {}): Promise<StartAnswer> {
    const authorization = `Bearer ${RUNNER_TOKEN}`;
    return startCall(this.runner, request, { query, headers: { authorization, ...headers } });
  }

  /** The same for a call that is taken on. @returns its identifier */
  async startedCall(request: object, options?: StartOptions): Promise<string> {
    const { status, body } = await this.startCall(request, options);
    if (status !== 202) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
    return body.call_id;
  }

  /** The next news of this call that says so. */
  record(id: string, expected: Partial<CallRecord>): Promise<CallRecord> {
    return this.nextRecord({ id, ...expected });
  }

  /** The next news of a call that says so. */
  nextRecord(expected: Partial<CallRecord>, limitMs?: number): Promise<CallRecord> {
    return this.records.next((record) => says(record, expected), limitMs);
  }

  /** The first news of a call that says so, also when it has come before. */
  async anyRecord(expected: Partial<CallRecord>, limitMs?: number): Promise<CallRecord> {
    const find = () => this.records.all.find((record) => says(record, expected));
    await until(() => find() !== undefined, `a call with ${JSON.stringify(expected)}`, limitMs);
    return find() as CallRecord;
  }

  /** Every state that a call has been in, in their order. */
  statesOf(id: string): CallRecord['state'][] {
    const states = this.records.all.flatMap((record) => (record.id === id ? [record.state] : []));
    return states.filter((state, at) => state !== states[at - 1]);
  }

  /** Bots have been loaded for the next calls. */
  async ready(bots = 1, limitMs?: number): Promise<void> {
    const readyBots = async () => JSON.parse((await send(`${this.url}/ready`)).body).readyBots;
    await until(async () => (await readyBots()) >= bots, `${bots} bots are ready`, limitMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.runner.stop({ drainMs: 0 });
    await this.runner.stop(); // once more: at once
    await stopped;
    await this.#api?.[Symbol.asyncDispose]();
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}

function says(record: CallRecord, expected: Partial<CallRecord>): boolean {
  return Object.entries(expected).every(([name, value]) => record[name as keyof CallRecord] === value);
}
