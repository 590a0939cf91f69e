import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

const AUTH = { authId: 'MASANDBOXSANDBOX0000', authToken: 'token-of-the-sandbox' };
/** Call time passes eight times faster than it is. */
const TICK_MS = 2.5;

interface Told {
  readonly call: string;
  readonly attempt: number;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A runner on the sandbox's carrier whose bot transfers whom it calls. */
export class TransfersOnSandbox implements AsyncDisposable {
  static async start(options: TestRunnerOptions = {}): Promise<TransfersOnSandbox> {
    const sandbox = await startSandbox({ ...AUTH, phoneToken: 'phone', timing: { tickMs: TICK_MS } });
    const served = await RunnerUnderTest.start({
      botFile: botFile('transferrer.ts'),
      credentials: { ...AUTH, apiUrl: sandbox.apiUrl },
      botEnvironment: {
        CARRIER_AUTH_ID: AUTH.authId,
        CARRIER_AUTH_TOKEN: AUTH.authToken,
        CARRIER_API_URL: sandbox.apiUrl,
      },
      warm: 2,
      silenceSeconds: 0,
      ...options,
    });
    return new TransfersOnSandbox(sandbox, served);
  }

  #dialled = 0;

  private constructor(
    readonly sandbox: Sandbox,
    readonly served: RunnerUnderTest,
  ) {}

  /** Has the bot call somebody whom it then transfers. */
  async transfer(query: { to: string; meanwhile?: string }) {
    const { served } = this;
    this.#dialled += 1;
    const response = await fetch(`${served.runner.url}/start?${new URLSearchParams(query)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
      body: JSON.stringify({ phone_number: `+1555123${String(this.#dialled).padStart(4, '0')}` }),
    });
    expect(response.status).toBe(202);
    const { call_id: id } = (await response.json()) as { call_id: string };
    const told = (): Told[] =>
      served.output.all
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Told)
        .filter(({ call }) => call === id);
    return {
      id,
      told,
      ended: () => served.records.next((record) => record.id === id && record.state === 'ended', 14_000),
      /** What came of the transfer; its bot is done then. */
      outcome: async (): Promise<Told | undefined> => {
        await served.output.next((line) => line.includes(id) && line.includes('"done"'));
        return told().find(({ event }) => event === 'outcome');
      },
      states: () => served.records.all.filter((record) => record.id === id).map(({ state }) => state),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.sandbox.close();
  }
}
