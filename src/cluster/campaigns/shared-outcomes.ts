import { unlessAborted } from '../../base/async/deadline.js';
import { pause } from '../../base/async/pause.js';
import type { CallCost } from '../../call/call-cost.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import { SETTLE_LIMIT_MS } from '../../runner/bots/messages.js';
import type { CallRegistry } from '../../runner/calls/life/call-registry.js';
import type { CallOutcomes } from '../../runner/campaigns/call-outcomes.js';
import type { CallDirectory } from '../calls/call-directory.js';
import type { Members } from '../members/cluster.js';

/** How often the directory is asked for a call that another runner has, in milliseconds. */
const LOOK_MS = 1_000;
/** Longest wait for what is still to be learnt of a call that is over, in milliseconds: longer than its runner waits for its bots. */
const SETTLED_LIMIT_MS = SETTLE_LIMIT_MS + 20_000;

export interface SharedOutcomesOptions {
  readonly registry: Pick<CallRegistry, 'get' | 'settledOf'>;
  readonly directory: Pick<CallDirectory, 'record' | 'ownerOf' | 'isSettled'>;
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

  async costs(record: CallRecord, signal: AbortSignal): Promise<ReadonlyArray<CallCost | undefined>> {
    const beside = (record.consulted ?? []).map((id) => this.#costOf(id, undefined, signal));
    return await Promise.all([this.#costOf(record.id, record.cost, signal), ...beside]);
  }

  /** @param known what is known of it already @returns an incomplete one where the rest of it is not learnt in time */
  async #costOf(id: CallId, known: CallCost | undefined, signal: AbortSignal): Promise<CallCost | undefined> {
    const { registry, directory } = this.options;
    let cost = known;
    for (
      const lateAt = performance.now() + SETTLED_LIMIT_MS;
      performance.now() < lateAt;
      await pause(LOOK_MS, signal)
    ) {
      if (registry.get(id)) await unlessAborted(registry.settledOf(id), signal);
      const own = registry.get(id); // none where another runner has it by now
      if (own) return own.cost;
      try {
        const isSettled = await directory.isSettled(id);
        const record = await directory.record(id);
        cost = record?.cost ?? cost;
        const isUnpriced = record?.state === 'ended' && !cost;
        if (isSettled || isUnpriced) return cost;
      } catch {
        // Redis is away: it may be back in time
      }
    }
    return cost && { ...cost, isComplete: false };
  }

  /** @returns what was known last while Redis is away */
  async #look(id: CallId, last: CallRecord | undefined): Promise<CallRecord | undefined> {
    return this.options.registry.get(id) ?? (await this.options.directory.record(id).catch(() => last));
  }
}
