import { unlessAborted } from '../../base/async/deadline.js';
import type { CallCost } from '../../call/call-cost.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { CallRegistry } from '../calls/life/call-registry.js';

/** What becomes of calls that were dialled, wherever they are now. */
export interface CallOutcomes {
  /** What is known of a call; undefined when nothing is. */
  find(callId: string): Promise<CallRecord | undefined>;
  /**
   * Resolves with the record of the call when it has ended; for a call of which nothing is known, once something is and it has.
   * @throws the reason of `signal` as soon as that is aborted
   */
  ended(callId: string, signal: AbortSignal): Promise<CallRecord>;
  /**
   * What a call that has ended and those that were dialled beside it have cost, each once all of it is known; undefined where calls are not priced.
   * @throws the reason of `signal` as soon as that is aborted
   */
  costs(record: CallRecord, signal: AbortSignal): Promise<ReadonlyArray<CallCost | undefined>>;
}

/** What becomes of calls of this runner. A call of which it knows nothing may still be told of by a webhook. */
export class LocalOutcomes implements CallOutcomes {
  readonly #waiting = new Map<CallId, Set<(record: CallRecord) => void>>();

  constructor(private readonly registry: Pick<CallRegistry, 'get' | 'on' | 'list' | 'settledOf'>) {
    registry.on('change', (record) => {
      if (record.state !== 'ended') return;
      for (const done of this.#waiting.get(record.id) ?? []) done(record);
      this.#waiting.delete(record.id);
    });
  }

  async find(callId: string): Promise<CallRecord | undefined> {
    return this.registry.get(asCallId(callId));
  }

  async costs(record: CallRecord, signal: AbortSignal): Promise<ReadonlyArray<CallCost | undefined>> {
    const { registry } = this;
    const calls = [record, ...registry.list().filter(({ linkedTo }) => linkedTo === record.id)];
    await unlessAborted(Promise.all(calls.map(({ id }) => registry.settledOf(id))), signal);
    return calls.map((call) => (registry.get(call.id) ?? call).cost);
  }

  async ended(callId: string, signal: AbortSignal): Promise<CallRecord> {
    signal.throwIfAborted();
    const id = asCallId(callId);
    const known = this.registry.get(id);
    if (known?.state === 'ended') return known;
    return await new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const giveUp = () => {
        waiting.delete(done);
        reject(signal.reason);
      };
      const done = (record: CallRecord) => {
        signal.removeEventListener('abort', giveUp);
        resolve(record);
      };
      waiting.add(done);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
