import { settlesWithin } from '../../base/async/deadline.js';
import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { botFailureIn } from '../../call/view/events.js';
import type { Runner } from '../../runner/runner.js';

/** How long bots may go on noting when a call is over, in milliseconds. */
const LAST_NOTES_MS = 3_000;

/** What a runner has told of a call so far. */
export interface StageCall {
  record: CallRecord | undefined;
  readonly events: TimelineEvent[];
}

interface FollowedCall extends StageCall {
  /** Bots that were given the call: all, and those that are not done. */
  readonly bots: { assigned: number; live: number };
  /** Processes that have ended under the call and functions that have thrown, less those of which is told how. */
  untold: number;
  onEvent: (event: TimelineEvent) => void;
  /** Look whether what they wait for has come. */
  readonly waiting: Set<() => void>;
}

/** Keeps what a runner tells of its calls, from before anybody knows their identifiers. */
export class StageCalls {
  readonly #calls = new Map<string, FollowedCall>();

  constructor(runner: Pick<Runner, 'on'>) {
    runner.on('noted', (callId, event) => {
      const call = this.#of(callId);
      call.events.push(event);
      if (event.type === 'bot_assigned') {
        call.bots.assigned += 1;
        call.bots.live += 1;
      }
      if (event.type === 'bot_done') call.bots.live -= 1;
      if (event.type === 'bot_done' && (event.outcome === 'lost' || event.errorType !== undefined)) call.untold += 1;
      if (event.type === 'log' && event.fields?.exit !== undefined) call.untold -= 1;
      if (event.type === 'output' && botFailureIn(event.line) !== undefined) call.untold -= 1;
      call.onEvent(event);
      for (const look of call.waiting) look();
    });
    runner.on('call', (record) => {
      const call = this.#of(record.id);
      call.record = record;
      for (const look of call.waiting) look();
    });
  }

  /** Tells what has happened in a call so far, and from now on. */
  follow(callId: string, onEvent: (event: TimelineEvent) => void): void {
    const call = this.#of(callId);
    for (const event of call.events) onEvent(event);
    call.onEvent = onEvent;
  }

  /** Resolves when a bot has the call, or the call is over. */
  async served(callId: string): Promise<void> {
    const call = this.#of(callId);
    await until(call, () => hasEnded(call) || call.bots.assigned > 0);
  }

  /** Resolves when the call has ended and its bots are done, a while after its end at the latest; it is forgotten then. */
  async over(callId: string, limitMs: number): Promise<StageCall> {
    const call = this.#of(callId);
    const ended = until(call, () => hasEnded(call));
    const done = until(call, () => hasEnded(call) && call.bots.live <= 0 && call.untold <= 0);
    if (await settlesWithin(ended, limitMs)) await settlesWithin(done, LAST_NOTES_MS);
    this.#calls.delete(callId);
    return { record: call.record, events: call.events.toSorted((a, b) => a.at - b.at) };
  }

  #of(callId: string): FollowedCall {
    const known = this.#calls.get(callId);
    if (known) return known;
    const bots = { assigned: 0, live: 0 };
    const call: FollowedCall = {
      record: undefined,
      events: [],
      bots,
      untold: 0,
      onEvent: () => {},
      waiting: new Set(),
    };
    this.#calls.set(callId, call);
    return call;
  }
}

const hasEnded = ({ record }: StageCall): boolean => record?.state === 'ended';

function until({ waiting }: FollowedCall, isMet: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isMet()) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
}
