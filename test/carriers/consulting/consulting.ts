import { fileURLToPath } from 'node:url';
import type { CallRecord } from '../../../src/call/call-record.js';
import { until } from '../../e2e/processes.js';
import type { RunnerOnSandbox, RunnerOnSandboxOptions } from '../../runner/runner-on-sandbox.js';
import type { Told } from '../../runner/runner-under-test.js';
import { FakeCaller } from '../../sandbox/fake-caller.js';
import { Caller, PATIENCE_MS } from '../conformance/caller.js';
import type { PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';

export const CALLER = '+12025550121';
export const COLLEAGUE = '+12025550177';

/** A call whose bot consults a colleague, on whichever carrier, or in a room. */
export class Consulting implements AsyncDisposable {
  #greetedAt = 0;

  static async open(played: PlayedCarrier, options: RunnerOnSandboxOptions = {}): Promise<Consulting> {
    const botFile = fileURLToPath(new URL('bot.ts', import.meta.url));
    return await Consulting.on(await Rig.of(played, { botFile, warm: 2, ...options }));
  }

  /** @param rig is the call's, and closed with it */
  static async on(rig: RunnerOnSandbox): Promise<Consulting> {
    const line = new Caller(await FakeCaller.attach(rig.sandbox), rig.sandbox.number);
    line.dial(CALLER);
    await until(() => rig.told.some(({ event }) => event === 'serves'), 'the bot serves the caller', PATIENCE_MS);
    const first = rig.told.find(({ event }) => event === 'serves') as Told;
    const at = new this(rig, line, first.id);
    await at.tells('greeted');
    at.#greetedAt = line.phone.heard.all.length;
    return at;
  }

  constructor(
    readonly rig: RunnerOnSandbox,
    readonly line: Caller,
    /** Of the caller's call. */
    readonly id: string,
  ) {}

  /** What the caller has heard since the greeting: before it, a room provider plays music. */
  get heardByCaller(): readonly Uint8Array[] {
    return this.line.phone.heard.all.slice(this.#greetedAt);
  }

  /** A colleague's phone that answers when it has rung for so long, in milliseconds. */
  colleague(ringMs = 200): Promise<FakeCaller> {
    return FakeCaller.attending(this.rig.sandbox, COLLEAGUE, { ringMs });
  }

  tells(event: string, attempt?: number): Promise<Told> {
    return this.tellsOf(event, (told) => attempt === undefined || told.attempt === attempt);
  }

  /** What the bot tells of the caller's call, and fits. */
  async tellsOf(event: string, fits: (told: Told) => boolean): Promise<Told> {
    const find = () => this.rig.told.find((told) => told.id === this.id && told.event === event && fits(told));
    await until(() => find() !== undefined, event, PATIENCE_MS);
    return find() as Told;
  }

  /** The calls that were dialled beside the caller's, as operators are told of them. */
  async legs(): Promise<CallRecord[]> {
    const { calls } = (await (await this.rig.ask('/calls')).json()) as { calls: CallRecord[] };
    return calls.filter(({ linkedTo }) => linkedTo === this.id);
  }

  /** How the call with this identifier has ended. */
  async ended(id: string): Promise<CallRecord> {
    return await this.rig.anyRecord({ id, state: 'ended' } as Partial<CallRecord>, PATIENCE_MS);
  }

  /** No call is left at the carrier. */
  async noCallIsLeft(): Promise<void> {
    await until(() => this.rig.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}
