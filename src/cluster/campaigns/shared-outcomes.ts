import { pause } from '../../base/async/pause.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { CallRegistry } from '../../runner/calls/life/call-registry.js';
import type { CallOutcomes } from '../../runner/campaigns/call-outcomes.js';
import type { CallDirectory } from '../calls/call-directory.js';
import type { Members } from '../members/cluster.js';

/** How often the directory is asked for a call that another runner has, in milliseconds. */
const LOOK_MS = 1_000;

export interface SharedOutcomesOptions {
  readonly registry: Pick<CallRegistry, 'get'>;
  readonly directory: Pick<CallDirectory, 'record' | 'ownerOf'>;
  readonly members: Pick<Members, 'isAlive'>;
}

/** What becomes of the calls of a cluster, whichever runner has them now. */
export class SharedOutcomes implements CallOutcomes {
  constructor(private readonly options: SharedOutcomesOptions) {}

  /** A call that a runner was about to dial when it died, and that nothing was heard of, is not known. */
  async find(callId: string): Promise<CallRecord | undefined> {
    const id = asCallId(callId);
    const own = this.options.registry.get(id);
    if (own) return own;
    const record = await this.options.directory.record(id);
    if (record?.state !== 'dialling') return record;
    const owner = await this.options.directory.ownerOf(id);
    return owner !== undefined && this.options.members.isAlive(owner) ? record : undefined;
  }

  async ended(callId: string, signal: AbortSignal): Promise<CallRecord> {
    const id = asCallId(callId);
    let last: CallRecord | undefined;
    for (;;) {
      signal.throwIfAborted();
      const record = await this.#look(id, last);
      if (record?.state === 'ended') return record;
      // No runner has told of its end, and the directory has forgotten it: no call lasts that long.
      if (last && !record) return { ...last, state: 'ended', endedAt: Date.now(), endReason: 'telephony_error' };
      last = record;
      await pause(LOOK_MS, signal);
    }
  }

  /** @returns what was known last while Redis is away */
  async #look(id: CallId, last: CallRecord | undefined): Promise<CallRecord | undefined> {
    return this.options.registry.get(id) ?? (await this.options.directory.record(id).catch(() => last));
  }
}
