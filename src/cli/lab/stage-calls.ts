import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { Runner } from '../../runner/runner.js';

/** How long bots may go on noting when a call is over, in milliseconds. */
const LAST_NOTES_MS = 3_000;

/** What a runner has told of a call so far. */
export interface StageCall {
  record: CallRecord | undefined;
  readonly events: TimelineEvent[];
}

interface FollowedCall extends StageCall {
  onEvent: (event: TimelineEvent) => void;
  onOver: () => void;
  onChange: () => void;
}

/** Keeps what a runner tells of its calls, from before anybody knows their identifiers. */
export class StageCalls {
  readonly #calls = new Map<string, FollowedCall>();

  constructor(runner: Pick<Runner, 'on'>) {
    runner.on('noted', (callId, event) => {
      const call = this.#of(callId);
      call.events.push(event);
      call.onEvent(event);
      call.onChange();
      if (isOver(call)) call.onOver();
    });
    runner.on('call', (record) => {
      const call = this.#of(record.id);
      call.record = record;
      call.onChange();
      if (isOver(call)) call.onOver();
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
    const isServed = () => call.record?.state === 'ended' || call.events.some(({ type }) => type === 'bot_assigned');
    if (isServed()) return;
    await new Promise<void>((resolve) => {
      call.onChange = () => isServed() && resolve();
    });
  }

  /** Resolves when the call has ended and its bots are done, a while after its end at the latest; it is forgotten then. */
  async over(callId: string, limitMs: number): Promise<StageCall> {
    const call = this.#of(callId);
    if (!isOver(call)) {
      await new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, limitMs);
        call.onOver = () => {
          clearTimeout(timer);
          resolve();
        };
        const { onEvent } = call;
        call.onEvent = (event) => {
          onEvent(event);
          if (event.type !== 'record' || event.record.state !== 'ended') return;
          clearTimeout(timer);
          timer = setTimeout(resolve, LAST_NOTES_MS);
        };
      });
    }
    this.#calls.delete(callId);
    return { record: call.record, events: call.events.toSorted((a, b) => a.at - b.at) };
  }

  #of(callId: string): FollowedCall {
    const known = this.#calls.get(callId);
    if (known) return known;
    const call: FollowedCall = {
      record: undefined,
      events: [],
      onEvent: () => {},
      onOver: () => {},
      onChange: () => {},
    };
    this.#calls.set(callId, call);
    return call;
  }
}

function isOver({ record, events }: StageCall): boolean {
  if (record?.state !== 'ended') return false;
  const count = (type: TimelineEvent['type']) => events.filter((event) => event.type === type).length;
  return count('bot_done') >= count('bot_assigned');
}
