import { EventEmitter } from 'node:events';
import type { CallId } from '../../../call/call-id.js';
import { keptOf } from '../../../call/folder/event-file.js';
import { type BotEntry, epochOf, type RunnerEntry, type TimelineEvent } from '../../../call/timeline.js';

/** Events kept of one call: the oldest go first. */
const MAX_EVENTS = 2_000;
/** Ended calls whose events are kept. */
const MAX_ENDED = 200;

/** What has happened in each call, as the runner and the call's bots have noted it: of live calls, and of some before. */
export class CallTimelines extends EventEmitter<{ event: [callId: CallId, event: TimelineEvent] }> {
  readonly #calls = new Map<CallId, TimelineEvent[]>();
  readonly #ended = new Set<CallId>();
  readonly #traces = new Map<CallId, string>();

  constructor() {
    super();
    this.setMaxListeners(0); // one for each page that looks at a call
  }

  /** What the runner has seen now. */
  note(callId: CallId, entry: RunnerEntry): void {
    this.receive(callId, [{ at: epochOf(performance.now()), source: 'runner', ...entry }]);
  }

  /** What a bot has told. */
  receive(callId: CallId, events: readonly TimelineEvent[]): void {
    const kept = this.#calls.get(callId) ?? this.#open(callId);
    for (const event of events) {
      forgetPassed(kept, event);
      kept.push(event);
      this.emit('event', callId, event);
      if (event.type === 'trace' && !this.#traces.has(callId)) this.#traces.set(callId, event.traceparent);
      if (event.type !== 'record') continue;
      if (event.record.state === 'ended') this.#ended.add(callId);
      else this.#ended.delete(callId);
    }
    if (kept.length > MAX_EVENTS) kept.splice(0, kept.length - MAX_EVENTS);
    this.#forgetOldest();
  }

  /** In the order in which the runner has learned of them; empty for a call that is not known. */
  of(callId: CallId): readonly TimelineEvent[] {
    return this.#calls.get(callId) ?? [];
  }

  /** Forgets what was said, pressed and given to functions of the model. */
  forgetTalk(callId: CallId): void {
    const kept = this.#calls.get(callId);
    const secrecy = { hidesTalk: true, maskDigits: false };
    const rest = kept?.flatMap((event) => keptOf(event as BotEntry, secrecy) ?? []) as TimelineEvent[] | undefined;
    if (rest) kept?.splice(0, kept.length, ...rest);
  }

  /** The span that spans of the call hang below: of the program that has started it, else of its first bot. */
  traceOf(callId: CallId): string | undefined {
    return this.#traces.get(callId);
  }

  /** Another runner has the call now. */
  release(callId: CallId): void {
    this.#ended.add(callId);
    this.#forgetOldest();
  }

  #open(callId: CallId): TimelineEvent[] {
    const events: TimelineEvent[] = [];
    this.#calls.set(callId, events);
    this.#ended.add(callId); // late events of a call that is over, unless its record comes
    return events;
  }

  #forgetOldest(): void {
    const [oldest] = this.#ended;
    if (oldest === undefined || this.#ended.size <= MAX_ENDED) return;
    this.#ended.delete(oldest);
    this.#calls.delete(oldest);
    this.#traces.delete(oldest);
  }
}

/** Of what shows words as they are spoken only the last is needed by one who comes later: much of it would push out what is. */
function forgetPassed(kept: TimelineEvent[], event: TimelineEvent): void {
  if (event.type !== 'interim_transcript') return;
  const last = kept.findLastIndex(({ type }) => type === 'interim_transcript');
  if (last >= 0) kept.splice(last, 1);
}
