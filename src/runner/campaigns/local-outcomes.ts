import { asCallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { CallOutcomes } from '../../campaign/call-outcomes.js';
import type { CallRegistry } from '../calls/call-registry.js';

/** What becomes of calls of this runner. A call of which it knows nothing may still be told of by a webhook. */
export class LocalOutcomes implements CallOutcomes {
  constructor(private readonly registry: CallRegistry) {}

  async find(callId: string): Promise<CallRecord | undefined> {
    return this.registry.get(asCallId(callId));
  }

  ended(callId: string, signal: AbortSignal): Promise<CallRecord> {
    const { registry } = this;
    const id = asCallId(callId);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const known = registry.get(id);
      if (known?.state === 'ended') return resolve(known);
      const stop = () => {
        registry.off('change', onChange);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        stop();
        reject(signal.reason);
      };
      const onChange = (record: CallRecord) => {
        if (record.id !== id || record.state !== 'ended') return;
        stop();
        resolve(record);
      };
      registry.on('change', onChange);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
