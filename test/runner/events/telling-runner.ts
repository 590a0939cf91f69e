import { silentLogger } from '../../../src/base/logger.js';
import { asCallId, type CallId } from '../../../src/call/call-id.js';
import type { BotEntry } from '../../../src/call/timeline.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { ApplicationEvents } from '../../../src/runner/events/application-events.js';
import { HandClock } from './hand-clock.js';
import { SECRET } from './hand-receiver.js';

export const HOUR = 3_600_000;

export interface TellingRunnerOptions {
  /** Of the application. */
  readonly url: string;
  readonly stateDirectory: string;
  /** Default: there is no other runner. */
  readonly goesOnElsewhere?: (callId: CallId) => Promise<boolean>;
  /** Default: this moment. */
  readonly clock?: HandClock;
  /** What it is told before it takes up what others have left. */
  readonly learns?: (registry: CallRegistry) => void;
}

/** The calls of one runner, and the application that is told of them. */
export class TellingRunner implements AsyncDisposable {
  readonly clock: HandClock;
  readonly registry = new CallRegistry();
  /** Warnings of its log. */
  readonly warnings: string[] = [];
  readonly events: ApplicationEvents;

  constructor(options: TellingRunnerOptions) {
    this.clock = options.clock ?? new HandClock();
    this.events = new ApplicationEvents({
      goesOnElsewhere: async () => false,
      ...options,
      secret: SECRET,
      maxCallMs: HOUR,
      logger: { ...silentLogger, warn: (message) => void this.warnings.push(message) },
      clock: this.clock,
      timeoutMs: 2_000,
    });
    this.registry.on('adopted', (record) => this.events.goOn(record));
    this.registry.on('released', (callId) => this.events.letGo(callId));
    this.registry.on('recordings_removed', (ids) => this.events.forgetTalk(ids));
    this.registry.timelines.on('event', (callId, event) => this.events.see(callId, event));
    options.learns?.(this.registry);
    this.events.recover();
  }

  begin(id: string): void {
    this.registry.open({ id, direction: 'inbound', from: '+12025550142', to: '+12025550100', state: 'ringing' });
  }

  answer(id: string): void {
    this.registry.update(asCallId(id), { state: 'starting', answeredAt: Date.now() });
  }

  bot(id: string, ...entries: BotEntry[]): void {
    const events = entries.map((entry) => ({ at: Date.now(), source: 'bot', bot: 1, ...entry }) as const);
    this.registry.timelines.receive(asCallId(id), events);
  }

  turn(id: string, turn: number): void {
    this.bot(id, {
      type: 'turn_ended',
      startedAt: Date.now(),
      turn,
      since: 'caller_stopped',
      wasInterrupted: false,
    });
  }

  end(id: string): void {
    this.registry.end(asCallId(id), 'caller_hung_up');
  }

  /** A whole call. */
  call(id: string, turns = 1): void {
    this.begin(id);
    this.answer(id);
    for (let turn = 1; turn <= turns; turn += 1) this.turn(id, turn);
    this.end(id);
  }

  pass(ms: number): Promise<void> {
    return this.clock.pass(ms, () => this.events.settled());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.events.close(AbortSignal.abort());
  }
}
