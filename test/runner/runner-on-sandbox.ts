import { randomBytes } from 'node:crypto';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { daily } from '../../src/providers/daily/provider.js';
import { DailyRestClient } from '../../src/providers/daily/rest.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.js';
import { browserOf } from '../providers/daily/client/page-host.js';
import { AUTH_ID, AUTH_TOKEN, PHONE_TOKEN } from '../sandbox/fake-caller.js';
import { setAddresses } from '../sandbox/rest.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

export const ROOMS_KEY = 'room-api-key-of-the-sandbox';
const WEBHOOK_SECRET = randomBytes(32).toString('base64');

/** Both ways into a room: whoever calls must not hear the difference. */
export const ROOMS_CLIENTS: readonly RoomsClient[] = ['built-in', 'browser'];

export type RunnerOnSandboxOptions = TestRunnerOptions & {
  /** Default `carrier`. */
  readonly transport?: 'carrier' | 'rooms';
  /** More of the bot's environment than the accounts of the sandbox. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How bots join rooms. Default: by the client in this package. */
  readonly client?: RoomsClient;
  /** More options of the sandbox. */
  readonly sandbox?: Partial<SandboxOptions>;
};

/** A sandbox with an account at its carrier and one at its room provider. */
export const testSandbox = (options?: Partial<SandboxOptions>): Promise<Sandbox> =>
  startSandbox({
    authId: AUTH_ID,
    authToken: AUTH_TOKEN,
    phoneToken: PHONE_TOKEN,
    rooms: { apiKey: ROOMS_KEY },
    ...options,
  });

/** A runner that serves the number of a sandbox of its own, by its carrier or its rooms. */
export class RunnerOnSandbox extends RunnerUnderTest {
  static override async start(options: RunnerOnSandboxOptions = {}): Promise<RunnerOnSandbox> {
    return await new RunnerOnSandbox(await testSandbox(options.sandbox), options).serve();
  }

  readonly #transport: 'carrier' | 'rooms';

  /** Not started yet. */
  constructor(
    readonly sandbox: Sandbox,
    options: RunnerOnSandboxOptions,
  ) {
    const { transport = 'carrier', client = 'built-in', environment, sandbox: _, ...more } = options;
    const carrier = { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: sandbox.apiUrl };
    const credentials = { apiKey: ROOMS_KEY, apiUrl: sandbox.roomsApiUrl };
    const browser = client === 'browser' ? browserOf() : undefined;
    super({
      ...(transport === 'carrier'
        ? { credentials: carrier }
        : { provider: { kind: 'rooms', provider: daily, credentials, webhookSecret: WEBHOOK_SECRET, browser } }),
      botEnvironment: {
        CARRIER_AUTH_ID: AUTH_ID,
        CARRIER_AUTH_TOKEN: AUTH_TOKEN,
        CARRIER_API_URL: sandbox.apiUrl,
        ROOMS_API_KEY: ROOMS_KEY,
        ROOMS_API_URL: sandbox.roomsApiUrl,
        ROOMS_CLIENT: client,
        ...environment,
      },
      ...more,
    });
    this.#transport = transport;
  }

  /** Starts the runner, and has the calls to the number come to it. */
  async serve(): Promise<this> {
    await this.runner.start();
    await this.register();
    return this;
  }

  /** Has the calls to the number come to the runner where it is reached now. */
  async register(): Promise<void> {
    const { number: phoneNumber, roomsApiUrl } = this.sandbox;
    const { addresses } = this.runner;
    if (this.#transport === 'carrier') return setAddresses(this.sandbox, addresses);
    const client = new DailyRestClient({ apiKey: ROOMS_KEY, apiUrl: roomsApiUrl });
    const settings = { phoneNumber, webhookUrl: addresses.dialinUrl, secret: WEBHOOK_SECRET };
    await client.createDialinConfig(settings).finally(() => client.close());
  }

  /** Everything the bots have written so far. */
  get written(): string {
    return this.output.all.join('\n');
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.sandbox.close();
  }
}
