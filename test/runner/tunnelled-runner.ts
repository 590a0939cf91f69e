import type { CallRecord } from '../../src/call/call-record.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { until } from '../e2e/processes.js';
import { AUTH_ID, AUTH_TOKEN, CALLER, FakeCaller, PHONE_TOKEN } from '../sandbox/fake-caller.js';
import { setAddresses } from '../sandbox/rest.js';
import { LoopbackTunnel } from './loopback-tunnel.js';
import { botFile, RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

/** Longest wait for what must happen, in milliseconds: the machine may be busy. */
const PATIENCE_MS = 40_000;
/** A byte of the tone that the bot sounds. */
const TONE = 0x8f;

/** What the bot says of itself. */
export interface BotNews {
  readonly event: 'began' | 'left';
  readonly pid: number;
  readonly id: string;
  readonly attempt: number;
  readonly reconnects?: number;
}

/** A runner that the sandbox's carrier reaches through a tunnel, or directly, and a caller. */
export class TunnelledRunner implements AsyncDisposable {
  static async start({ isTunnelled = true, ...options }: TestRunnerOptions = {}): Promise<TunnelledRunner> {
    const sandbox = await startSandbox({ authId: AUTH_ID, authToken: AUTH_TOKEN, phoneToken: PHONE_TOKEN });
    const served = new RunnerUnderTest({
      credentials: { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl: sandbox.apiUrl },
      botFile: botFile('toner.mjs'),
      isTunnelled,
      warm: 2,
      ...options,
    });
    await served.runner.start();
    const started = new TunnelledRunner(
      sandbox,
      served,
      await LoopbackTunnel.open(served.runner.port),
      await FakeCaller.attach(sandbox),
    );
    await started.register();
    return started;
  }

  private constructor(
    readonly sandbox: Sandbox,
    readonly served: RunnerUnderTest,
    readonly tunnel: LoopbackTunnel,
    readonly caller: FakeCaller,
  ) {}

  /** What whoever looks after the tunnel does when it is there, at first and again. */
  async register(): Promise<void> {
    const { runner } = this.served;
    runner.reach.back(this.tunnel.url);
    await setAddresses(this.sandbox, runner.addresses);
  }

  /** The tunnel is gone; its loss is told at once, or not at all. */
  async breakDown({ isTold = true } = {}): Promise<void> {
    await this.tunnel.breakDown();
    if (isTold) this.served.runner.reach.lost();
  }

  async comeBack(as: 'moved' | 'same' = 'moved'): Promise<void> {
    await this.tunnel.comeBack(as);
    await this.register();
  }

  /** A new call, up to its bot's tone. */
  async call(): Promise<BotNews> {
    this.caller.client.dial({ from: CALLER, to: this.sandbox.number });
    const news = await this.bot('began');
    await this.toneHeard();
    return news;
  }

  /** The next news of this kind from a bot. */
  async bot(event: BotNews['event'], limitMs = PATIENCE_MS): Promise<BotNews> {
    return JSON.parse(await this.served.output.next((line) => line.startsWith(`{"event":"${event}"`), limitMs));
  }

  /** The next record that says so. */
  record(expected: Partial<CallRecord>): Promise<CallRecord> {
    const names = Object.keys(expected) as Array<keyof CallRecord>;
    const fits = (record: CallRecord) => names.every((name) => record[name] === expected[name]);
    return this.served.records.next(fits, PATIENCE_MS);
  }

  /** The caller hears the bot, or hears it no more. */
  toneHeard(isHeard = true): Promise<void> {
    return until(() => this.isToneHeard() === isHeard, isHeard ? 'the bot is heard' : 'quiet', PATIENCE_MS);
  }

  /** The caller has been asked to wait. */
  askedToWait(): Promise<void> {
    return until(() => this.spoken().length > 0, 'the caller is asked to wait', PATIENCE_MS);
  }

  /** Whether the tone is what the caller hears now. */
  isToneHeard(): boolean {
    return this.caller.heard.all.at(-1)?.[0] === TONE;
  }

  /** What the caller hears in these words. */
  spoken(): string[] {
    return this.caller.events.all.flatMap((event) =>
      event.type === 'progress' && event.line.hop === 'speak' ? [event.line.text] : [],
    );
  }

  dial(phoneNumber: string): Promise<Response> {
    return fetch(`${this.served.runner.url}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
      body: JSON.stringify({ phone_number: phoneNumber }),
    });
  }

  /** Nothing is left at the carrier, in the runner or among the bots. */
  async isQuiet(): Promise<void> {
    await until(() => this.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
    await until(() => this.served.runner.liveCalls === 0, 'no call is left in the runner', PATIENCE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.caller[Symbol.asyncDispose]();
    await this.served[Symbol.asyncDispose]();
    await this.tunnel[Symbol.asyncDispose]();
    await this.sandbox.close();
  }
}
