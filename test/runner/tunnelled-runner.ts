import type { CallRecord } from '../../src/call/call-record.js';
import { until } from '../e2e/processes.js';
import { CALLER, FakeCaller } from '../sandbox/fake-caller.js';
import { RunnerOnSandbox, type RunnerOnSandboxOptions, testSandbox } from './runner-on-sandbox.js';
import { botFile } from './runner-under-test.js';
import { TunnelToRunner } from './tunnel-to-runner.js';

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
export class TunnelledRunner extends RunnerOnSandbox {
  tunnel!: TunnelToRunner;
  caller!: FakeCaller;

  static override async start(options: RunnerOnSandboxOptions = {}): Promise<TunnelledRunner> {
    const settings = { botFile: botFile('toner.mjs'), isTunnelled: true, warm: 2, ...options };
    const started = new TunnelledRunner(await testSandbox(), settings);
    await started.runner.start();
    started.tunnel = await TunnelToRunner.open(started);
    started.caller = await FakeCaller.attach(started.sandbox);
    return started;
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
    return JSON.parse(await this.output.next((line) => line.startsWith(`{"event":"${event}"`), limitMs));
  }

  override nextRecord(expected: Partial<CallRecord>, limitMs = PATIENCE_MS): Promise<CallRecord> {
    return super.nextRecord(expected, limitMs);
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

  /** Nothing is left at the carrier, in the runner or among the bots. */
  async isQuiet(): Promise<void> {
    await until(() => this.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
    await until(() => this.runner.liveCalls === 0, 'no call is left in the runner', PATIENCE_MS);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.caller[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
    await this.tunnel[Symbol.asyncDispose]();
  }
}
