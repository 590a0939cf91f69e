import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { CallCost } from '../../../call/call-cost.js';
import type { CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import { SERVICE_KINDS } from '../../../call/service-name.js';
import type { TimelineEvent } from '../../../call/timeline.js';
import { type ServiceUsage, UsageSum } from '../../../call/usage.js';
import { SETTLE_LIMIT_MS } from '../../bots/messages.js';
import { type ColdTransfers, type LegTerms, legsOf, NO_TRANSFERS } from '../../costs/paid-legs.js';
import { costOfCall } from '../../costs/price-usage.js';
import type { Prices } from '../../costs/prices.js';
import type { CallRegistry } from './call-registry.js';

/** Longest wait for what the bots of a call that is over have still to tell, in milliseconds. */
const BOTS_LIMIT_MS = SETTLE_LIMIT_MS + 10_000;

/** What is known of one call. */
interface Tally {
  readonly used: UsageSum;
  readonly bots: Set<number>;
  /** A runner that was killed has had the call before, and nothing is known of that. */
  readonly isPartial: boolean;
  /** The colleague of a warm transfer has a call, and a cost, of its own. */
  transfers: ColdTransfers;
  /** Settles when nothing more is to come. */
  readonly settled: Deferred<void>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Says what each call of a runner has cost by the user's prices: while it goes on as far as its bots have told what they use, and in its
 * record at the end. What a bot tells when its call is over changes the record once more; then the registry says that it is settled.
 */
export class CallCosts {
  readonly #calls = new Map<CallId, Tally>();

  constructor(
    private readonly registry: CallRegistry,
    private readonly prices: Prices,
    private readonly terms: LegTerms,
  ) {
    registry.costOf = (record) => this.#costOf(record);
    registry.settledOf = async (id) => await this.#calls.get(id)?.settled.promise;
    registry.transfersOf = (id) => this.#calls.get(id)?.transfers ?? NO_TRANSFERS;
    registry.on('adopted', (record, transfers) => this.#adopt(record, transfers));
    registry.on('released', (id) => this.#forget(id));
    registry.timelines.on('event', (id, event) => this.#see(id, event));
  }

  /** The runner leaves: nothing more is waited for. */
  async close(): Promise<void> {
    for (const id of [...this.#calls.keys()]) if (this.registry.get(id)?.state === 'ended') this.#settle(id);
  }

  #see(id: CallId, event: TimelineEvent): void {
    if (event.type === 'record') this.#changed(event.record);
    const tally = this.#calls.get(id);
    if (!tally) return;
    if (event.type === 'usage') {
      for (const used of event.used) tally.used.add(used);
      this.#show(id);
    } else if (event.type === 'bot_assigned') tally.bots.add(event.bot);
    else if (event.type === 'bot_done') {
      tally.bots.delete(event.bot);
      this.#considerSettling(id, tally);
    } else if (event.type === 'transfer_asked') {
      const { to, at, isWarm } = event;
      tally.transfers = { ...tally.transfers, asked: isWarm ? undefined : { to, at } };
    } else if (event.type === 'transfer_over' && !event.isWarm) {
      const { to, at, status } = event;
      const { answered } = tally.transfers;
      tally.transfers = { answered: status === 'answered' ? [...answered, { to, at }] : answered };
      this.#show(id); // another runner that takes the call over goes by what is known now
    }
  }

  #changed({ id, state, cost, attempt }: CallRecord): void {
    const tally = this.#calls.get(id);
    if (!tally) {
      if (state !== 'ended') this.#open(id, attempt > 1);
      return;
    }
    if (state === 'connected' && !cost) queueMicrotask(() => this.#show(id));
    if (state !== 'ended') return;
    tally.timer ??= setTimeout(() => this.#settle(id), BOTS_LIMIT_MS).unref();
    queueMicrotask(() => this.#considerSettling(id, tally)); // those who wait for its end learn that first
  }

  /** The call as it has become, if it is this runner's. */
  #show(id: CallId): void {
    const record = this.registry.get(id);
    const cost = record && this.#costOf(record);
    if (!record || !cost) return;
    this.registry.amend(id, { cost });
  }

  #considerSettling(id: CallId, { bots }: Tally): void {
    if (bots.size === 0 && this.registry.get(id)?.state === 'ended') this.#settle(id);
  }

  #settle(id: CallId): void {
    if (!this.#calls.has(id)) return;
    this.#forget(id);
    this.registry.settle(id);
  }

  #forget(id: CallId): void {
    const tally = this.#calls.get(id);
    clearTimeout(tally?.timer);
    this.#calls.delete(id);
    tally?.settled.resolve();
  }

  #open(id: CallId, isPartial = false): Tally {
    const tally: Tally = {
      used: new UsageSum(),
      bots: new Set(),
      isPartial,
      transfers: NO_TRANSFERS,
      settled: deferred(),
      timer: undefined,
    };
    this.#calls.set(id, tally);
    return tally;
  }

  /** A call of another runner goes on here: what its services were used for there is in its record. */
  #adopt({ id, cost }: CallRecord, transfers: ColdTransfers): void {
    const tally = this.#open(id, cost?.isComplete === false);
    for (const usage of usageIn(cost)) tally.used.add(usage);
    tally.transfers = transfers;
  }

  #costOf(record: CallRecord): CallCost | undefined {
    const tally = this.#calls.get(record.id);
    if (!tally) return record.cost;
    const { asked, answered } = tally.transfers;
    // its bot was gone before it could tell that the destination has answered
    const isUntold = record.endReason === 'transferred' && answered.length === 0;
    const connected = isUntold && asked ? [{ ...asked, isEstimated: true as const }] : answered;
    const cost = costOfCall(this.prices, legsOf(record, connected, this.terms), tally.used.list());
    return cost && tally.isPartial ? { ...cost, isComplete: false } : cost;
  }
}

function usageIn(cost: CallCost | undefined): ServiceUsage[] {
  return (cost?.parts ?? []).flatMap(({ service, provider, model, units, unit, isEstimated }) => {
    const does = SERVICE_KINDS.find((kind) => kind === service);
    return does ? [{ does, provider, model, units: { [unit]: units }, isEstimated }] : [];
  });
}
