import { randomBytes } from 'node:crypto';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { DailyRestClient } from '../../src/providers/daily/rest.js';
import { plivo } from '../../src/providers/plivo/provider.js';
import { roomProvider } from '../../src/providers/registry/rooms.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.js';
import { browserOf } from '../providers/daily/client/page-host.js';
import { AUTH_ID, AUTH_TOKEN, PHONE_TOKEN } from '../sandbox/fake-caller.js';
import { setAddresses } from '../sandbox/rest.js';
import { RUNNER_TOKEN, RunnerUnderTest } from './runner-under-test.js';

const ROOMS_KEY = 'room-api-key-of-the-sandbox';

export interface RunnerOnSandboxOptions {
  readonly transport: 'carrier' | 'rooms';
  readonly botFile: string;
  /** More of the bot's environment than the accounts of the sandbox. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stand-ins serve the bots. Default false. */
  readonly standIns?: boolean;
  /** Default 1. */
  readonly callsPerProcess?: number;
  readonly overhear?: SandboxOptions['overhear'];
  /** The carrier streams wideband audio. Default false. */
  readonly isWideband?: boolean;
  /** How bots join rooms. Default: by the client in this package. */
  readonly client?: RoomsClient;
}

/** A runner that serves the number of a sandbox, by its carrier or its rooms. */
export class RunnerOnSandbox implements AsyncDisposable {
  static async start(options: RunnerOnSandboxOptions): Promise<RunnerOnSandbox> {
    const { transport, botFile, environment, callsPerProcess = 1, overhear, isWideband, client = 'built-in' } = options;
    const { standIns = false } = options;
    const sandbox = await startSandbox({
      authId: AUTH_ID,
      authToken: AUTH_TOKEN,
      phoneToken: PHONE_TOKEN,
      rooms: { apiKey: ROOMS_KEY },
      ...(overhear && { overhear }),
    });
    const webhookSecret = randomBytes(32).toString('base64');
    const provider: RunnerOptions['provider'] =
      transport === 'carrier'
        ? {
            kind: 'carrier',
            carrier: plivo,
            credentials: { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: sandbox.apiUrl },
            machineDetection: 'off',
            isWideband,
          }
        : {
            kind: 'rooms',
            provider: roomProvider,
            credentials: { apiKey: ROOMS_KEY, apiUrl: sandbox.roomsApiUrl },
            webhookSecret,
            browser: client === 'browser' ? browserOf() : undefined,
          };
    const served = new RunnerUnderTest({
      provider,
      botFile,
      callsPerProcess,
      standIns,
      recording: 'unless_refused',
      botEnvironment: {
        CARRIER_AUTH_ID: AUTH_ID,
        CARRIER_AUTH_TOKEN: AUTH_TOKEN,
        CARRIER_API_URL: sandbox.apiUrl,
        ROOMS_API_KEY: ROOMS_KEY,
        ROOMS_API_URL: sandbox.roomsApiUrl,
        ROOMS_CLIENT: client,
        ...environment,
      },
    });
    const started = new RunnerOnSandbox(sandbox, served);
    await served.runner.start();
    await started.#register(transport, webhookSecret);
    return started;
  }

  private constructor(
    readonly sandbox: Sandbox,
    readonly served: RunnerUnderTest,
  ) {}

  /** Everything the bots have written so far. */
  get output(): string {
    return this.served.output.all.join('\n');
  }

  /** Has the bot call a number. */
  async dial(phoneNumber: string, body: object = {}, headers: Record<string, string> = {}): Promise<void> {
    const response = await fetch(`${this.served.runner.url}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}`, ...headers },
      body: JSON.stringify({ phone_number: phoneNumber, body }),
    });
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.sandbox.close();
  }

  async #register(transport: 'carrier' | 'rooms', secret: string): Promise<void> {
    const { addresses } = this.served.runner;
    const { number: phoneNumber, roomsApiUrl } = this.sandbox;
    if (transport === 'carrier') return setAddresses(this.sandbox, addresses);
    const client = new DailyRestClient({ apiKey: ROOMS_KEY, apiUrl: roomsApiUrl });
    const settings = { phoneNumber, webhookUrl: addresses.dialinUrl, secret };
    await client.createDialinConfig(settings).finally(() => client.close());
  }
}
