import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LogFields } from '../../../src/base/logger.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { until } from '../../e2e/processes.js';
import { RunnerOnSandbox, type RunnerOnSandboxOptions, testSandbox } from '../../runner/runner-on-sandbox.js';
import type { Told } from '../../runner/runner-under-test.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { Caller, PATIENCE_MS } from './caller.js';
import type { PlayedCarrier } from './carriers.js';
import { pointNumber } from './point-number.js';
import { plain } from './records.js';
import { WireTap } from './wire-tap.js';

/** Names and values that are compared. */
export type Facts = Readonly<Record<string, unknown>>;

/** What came of a story. */
export interface Played {
  readonly record?: Facts;
  readonly facts?: Facts;
}

/** A runner that serves the number of a sandbox, whichever carrier that plays. */
export class Rig extends RunnerOnSandbox {
  /** What has happened in calls, by the runner's identifiers. */
  readonly #noted: Array<{ readonly id: string; readonly event: TimelineEvent }> = [];

  static async of(played: PlayedCarrier, options: RunnerOnSandboxOptions = {}): Promise<Rig> {
    return await new Rig(played, await WireTap.open(), await testSandbox(played.account), [], options).serve();
  }

  private constructor(
    readonly played: PlayedCarrier,
    /** All that the carrier says comes through it. */
    readonly tap: WireTap,
    sandbox: Sandbox,
    /** What the runner has warned of. */
    readonly warnings: Array<{ message: string } & LogFields>,
    options: RunnerOnSandboxOptions,
  ) {
    super(sandbox, {
      botFile: fileURLToPath(new URL('bot.ts', import.meta.url)),
      carrier: played.carrier,
      credentials: played.credentials(sandbox.apiUrl),
      publicUrl: tap.url,
      silenceSeconds: 0,
      logger: { ...silentLogger, warn: (message, fields) => void warnings.push({ message, ...fields }) },
      ...options,
    });
    this.runner.on('noted', (id, event) => void this.#noted.push({ id, event }));
  }

  override async serve(): Promise<this> {
    await this.runner.start();
    this.tap.target = this.runner.url;
    await this.register();
    return this;
  }

  override register(): Promise<void> {
    return pointNumber(this.played, this.sandbox, this.runner.addresses);
  }

  /** A phone on the network. */
  async phone(): Promise<Caller> {
    return new Caller(await FakeCaller.attach(this.sandbox), this.sandbox.number);
  }

  /** A phone on the network calls the bot. */
  async call(from: string): Promise<Caller> {
    const caller = await this.phone();
    caller.dial(from);
    return caller;
  }

  /** The bot's first word of the caller with this number. */
  serves(from: string): Promise<Told> {
    return this.#tells((told) => told.event === 'serves' && told.from === from, `serves ${from}`);
  }

  /** What the bot tells of a call, when it does. */
  hears(id: string, event: string, attempt?: number): Promise<Told> {
    const fits = (told: Told) => told.id === id && told.event === event;
    return this.#tells((told) => fits(told) && told.attempt === (attempt ?? told.attempt), `${event} of ${id}`);
  }

  /** Resolves when the call is in this state, or was. */
  async reaches(id: string, state: CallRecord['state']): Promise<void> {
    await until(() => this.statesOf(id).includes(state), `${id} is ${state}`, PATIENCE_MS);
  }

  /** The record of a call that is over, as operators get it. */
  async over(id: string): Promise<Facts> {
    await this.reaches(id, 'ended');
    const record = (await (await this.ask(`/calls/${encodeURIComponent(id)}`)).json()) as CallRecord;
    return plain(record, this.statesOf(id), this.played.carrier);
  }

  /** The record of a call that is over, as the runner tells of it by itself: it may be stopping. */
  async latest(id: string): Promise<Facts> {
    await this.reaches(id, 'ended');
    const record = this.records.all.findLast((told) => told.id === id) as CallRecord;
    return plain(record, this.statesOf(id), this.played.carrier);
  }

  /** The calls that operators are told of, of this caller. */
  async callsOf(from: string): Promise<CallRecord[]> {
    const { calls } = (await (await this.ask('/calls')).json()) as { calls: CallRecord[] };
    return calls.filter((record) => record.from === from);
  }

  /** What the carrier has said on the streams of a call, but for audio: `mark`, or `malformed: no JSON, 3 in all`. */
  said(id: string): string[] {
    return this.#noted.flatMap(({ id: of, event }) =>
      of === id && event.type === 'wire' && event.direction === 'in'
        ? [`${event.name}${event.detail ? `: ${event.detail}` : ''}`]
        : [],
    );
  }

  pause(ms: number): Promise<void> {
    return delay(ms);
  }

  /** Stories wait beside one another: nobody takes away what another waits for. */
  async #tells(fits: (told: Told) => boolean, what: string): Promise<Told> {
    await until(() => this.told.some(fits), `the bot tells ${what}`, PATIENCE_MS);
    return this.told.find(fits) as Told;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.tap[Symbol.asyncDispose]();
  }
}
