import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DtmfDetector } from '../../../src/audio/dtmf-detector.js';
import type { DtmfDigit } from '../../../src/audio/dtmf-digit.js';
import { levelDb } from '../../../src/audio/level.js';
import { decodeMulaw } from '../../../src/audio/mulaw.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from '../../runner/runner-under-test.js';
import { FakeCaller, PHONE_TOKEN } from '../../sandbox/fake-caller.js';
import { Inbox } from '../../sandbox/inbox.js';
import type { PlayedCarrier } from './carriers.js';

/** Longest wait for anything in a story, in milliseconds. */
const LIMIT_MS = 30_000;

/** What the bot tells of a call. */
export interface Told {
  readonly event: string;
  readonly id: string;
  readonly attempt: number;
  readonly [field: string]: unknown;
}

/** A runner that serves the number of a sandbox, whichever carrier that plays. */
export class Rig implements AsyncDisposable {
  readonly told = new Inbox<Told>();

  static async start(played: PlayedCarrier, options: TestRunnerOptions = {}): Promise<Rig> {
    const sandbox = await startSandbox({
      ...played.account,
      phoneToken: PHONE_TOKEN,
    });
    const served = await RunnerUnderTest.start({
      botFile: fileURLToPath(new URL('bot.ts', import.meta.url)),
      carrier: played.carrier,
      credentials: played.credentials(sandbox.apiUrl),
      callsPerProcess: 1,
      warm: 4,
      silenceSeconds: 0,
      ...options,
    });
    const rig = new Rig(played, sandbox, served);
    await rig.#pointNumber();
    return rig;
  }

  private constructor(
    readonly played: PlayedCarrier,
    readonly sandbox: Sandbox,
    readonly served: RunnerUnderTest,
  ) {
    served.runner.on('bot_output', (line: string) => {
      if (line.startsWith('{"event"')) this.told.push(JSON.parse(line));
    });
  }

  /** A phone on the network that calls the bot. */
  async call(from: string): Promise<Caller> {
    const phone = await FakeCaller.attach(this.sandbox);
    phone.client.dial({ from, to: this.sandbox.number });
    return new Caller(phone, this);
  }

  /** Has the bot dial a number. @returns the answer of the runner */
  async start(
    fields: object,
    query: Record<string, string> = {},
  ): Promise<{ status: number; body: { call_id?: string } }> {
    const response = await fetch(`${this.served.runner.url}/start?${new URLSearchParams(query)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` },
      body: JSON.stringify(fields),
    });
    return { status: response.status, body: (await response.json()) as { call_id?: string } };
  }

  /** The bot's first word of the caller with this number. */
  serves(from: string): Promise<Told> {
    return this.#of(this.told, (told) => told.event === 'serves' && told.from === from);
  }

  /** What the bot tells of a call, when it does. */
  hears(id: string, event: string): Promise<Told> {
    return this.#of(this.told, (told) => told.id === id && told.event === event);
  }

  /** The record of a call that is over. */
  over(fits: (record: CallRecord) => boolean): Promise<CallRecord> {
    return this.#of(this.served.records, (record) => record.state === 'ended' && fits(record));
  }

  /** Stories wait beside one another: nobody takes away what another waits for. */
  async #of<T>(inbox: Inbox<T>, fits: (item: T) => boolean): Promise<T> {
    await this.until(() => inbox.all.some(fits));
    return inbox.all.find(fits) as T;
  }

  /** Resolves when it is so. */
  async until(isSo: () => boolean): Promise<void> {
    const lateAt = performance.now() + LIMIT_MS;
    while (!isSo()) {
      if (performance.now() > lateAt) throw new Error(`not within ${LIMIT_MS} ms: ${isSo}`);
      await this.pause(20);
    }
  }

  /** Call time passes. */
  pause(ms: number): Promise<void> {
    return delay(ms);
  }

  /** As `voicebot run --dialin` does it. */
  async #pointNumber(): Promise<void> {
    const { carrier, credentials } = this.played;
    const { answerUrl, hangupUrl } = this.served.runner.addresses;
    const routing = await carrier.createNumberRouting(credentials(this.sandbox.apiUrl));
    try {
      const { change } = await routing.plan({
        number: this.sandbox.number,
        leaseId: 'conformance',
        isInPlace: false,
        urls: { answerUrl, hangupUrl },
        isOldAddress: () => false,
      });
      await routing.apply(change);
      expect(await routing.verify(change)).toBeUndefined();
    } finally {
      await routing.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.sandbox.close();
  }
}

/** Mu-law that is louder than this is a tone, in decibels below full scale. */
const LOUD_DB = -30;

/** Somebody who has called the bot. */
export class Caller {
  constructor(
    readonly phone: FakeCaller,
    private readonly rig: Rig,
  ) {}

  press(keys: string): void {
    for (const key of keys) this.phone.client.press(key as DtmfDigit);
  }

  hangUp(): void {
    this.phone.client.hangUp();
  }

  /** Resolves when the bot's tone is heard. */
  async hearsTone(): Promise<boolean> {
    await this.rig.until(() => this.#latest().some((frame) => levelDb(decodeMulaw(frame)) > LOUD_DB));
    return true;
  }

  /** Resolves when nothing is heard for half a second. */
  async hearsSilence(): Promise<boolean> {
    await this.rig.until(() => this.#latest().every((frame) => levelDb(decodeMulaw(frame)) <= LOUD_DB));
    return true;
  }

  /** Resolves with the keys whose tones are heard, as soon as there are as many as `wanted`. */
  async hearsKeys(wanted: string): Promise<string> {
    await this.rig.until(() => this.#keys().length >= wanted.length);
    return this.#keys();
  }

  #keys(): string {
    const detector = new DtmfDetector(8_000);
    return this.phone.heard.all.flatMap((frame) => detector.process(decodeMulaw(frame))).join('');
  }

  #latest(): Uint8Array[] {
    return this.phone.heard.all.slice(-25);
  }
}
