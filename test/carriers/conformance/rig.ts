import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LogFields } from '../../../src/base/logger.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { until } from '../../e2e/processes.js';
import { RUNNER_TOKEN, RunnerUnderTest, type TestRunnerOptions } from '../../runner/runner-under-test.js';
import { FakeCaller, PHONE_TOKEN } from '../../sandbox/fake-caller.js';
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

/** What the bot tells of a call. */
interface Told {
  readonly event: string;
  readonly id: string;
  readonly attempt: number;
  readonly [field: string]: unknown;
}

/** A runner that serves the number of a sandbox, whichever carrier that plays. */
export class Rig implements AsyncDisposable {
  readonly told: Told[] = [];
  /** What has happened in calls, by the runner's identifiers. */
  readonly #noted: Array<{ readonly id: string; readonly event: TimelineEvent }> = [];
  /** What the runner has warned of. */
  readonly warnings: Array<{ message: string } & LogFields> = [];

  static async start(played: PlayedCarrier, options: TestRunnerOptions = {}): Promise<Rig> {
    const sandbox = await startSandbox({ ...played.account, phoneToken: PHONE_TOKEN });
    const tap = await WireTap.open();
    const rig: Rig = new Rig(
      played,
      sandbox,
      tap,
      new RunnerUnderTest({
        botFile: fileURLToPath(new URL('bot.ts', import.meta.url)),
        carrier: played.carrier,
        credentials: played.credentials(sandbox.apiUrl),
        publicUrl: tap.url,
        silenceSeconds: 0,
        logger: { ...silentLogger, warn: (message, fields) => void rig.warnings.push({ message, ...fields }) },
        ...options,
      }),
    );
    const { runner } = rig.served;
    runner.on('bot_output', (line) => line.startsWith('{"event"') && rig.told.push(JSON.parse(line)));
    runner.on('noted', (id, event) => void rig.#noted.push({ id, event }));
    await runner.start();
    tap.target = runner.url;
    await pointNumber(played, sandbox, runner.addresses);
    return rig;
  }

  private constructor(
    readonly played: PlayedCarrier,
    readonly sandbox: Sandbox,
    /** All that the carrier says comes through it. */
    readonly tap: WireTap,
    readonly served: RunnerUnderTest,
  ) {}

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

  /** Has the bot dial a number. @returns what the runner answers */
  async start(fields: object, query: Record<string, string> = {}) {
    const response = await this.#ask(`/start?${new URLSearchParams(query)}`, {
      method: 'POST',
      body: JSON.stringify(fields),
    });
    return {
      status: response.status,
      answer: (await response.json()) as { call_id?: string; error?: { code: string; message: string; hint?: string } },
    };
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
    await until(() => this.#statesOf(id).includes(state), `${id} is ${state}`, PATIENCE_MS);
  }

  /** The record of a call that is over, as operators get it. */
  async over(id: string): Promise<Facts> {
    await this.reaches(id, 'ended');
    const record = (await (await this.#ask(`/calls/${encodeURIComponent(id)}`)).json()) as CallRecord;
    return plain(record, this.#statesOf(id), this.played.carrier);
  }

  /** The record of a call that is over, as the runner tells of it by itself: it may be stopping. */
  async latest(id: string): Promise<Facts> {
    await this.reaches(id, 'ended');
    const record = this.served.records.all.findLast((told) => told.id === id) as CallRecord;
    return plain(record, this.#statesOf(id), this.played.carrier);
  }

  /** The calls that operators are told of, of this caller. */
  async callsOf(from: string): Promise<CallRecord[]> {
    const { calls } = (await (await this.#ask('/calls')).json()) as { calls: CallRecord[] };
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

  #statesOf(id: string): CallRecord['state'][] {
    return this.served.records.all.filter((record) => record.id === id).map(({ state }) => state);
  }

  #ask(path: string, request: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${RUNNER_TOKEN}` };
    return fetch(this.served.runner.url + path, { ...request, headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await this.sandbox.close();
    await this.tap[Symbol.asyncDispose]();
  }
}
