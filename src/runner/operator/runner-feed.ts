import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { CampaignProgress } from '../../call/campaign-progress.js';
import type { CallSummary, PlacedCall } from '../../call/placed-call.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { isForSummary, summaryOf } from '../../call/view/call-summary.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { Campaigns } from '../campaigns/campaigns.js';
import type { ShownElsewhere } from '../http/elsewhere.js';
import type { EventSubscriber } from './event-subscriber.js';

/** How often the runner's status and the calls of other runners are looked at, in milliseconds, while a subscriber follows them. */
const LOOK_MS = 1_000;

/** Tells those who follow the runner each change of its status, of its calls and of its campaigns. */
export class RunnerFeed {
  readonly #subscribers = new Set<EventSubscriber>();
  #look: NodeJS.Timeout | undefined;
  /** Calls in which something was said since the last look. */
  readonly #talked = new Set<CallId>();
  /** Of the events of a call, until one comes that changes it: for all subscribers. */
  readonly #summaries = new WeakMap<readonly TimelineEvent[], CallSummary | undefined>();
  #told = '';
  /** Calls of other runners as they were told, by their identifiers. */
  readonly #others = new Map<string, string>();

  constructor(
    private readonly registry: CallRegistry,
    private readonly campaigns: Campaigns,
    private readonly status: () => RunnerStatus,
    private readonly elsewhere?: ShownElsewhere,
  ) {
    const tell = (record: CallRecord) => {
      if (this.#subscribers.size > 0) this.#tell('call', this.#place(record));
    };
    registry.on('change', tell);
    registry.on('amended', tell);
    registry.timelines.on('event', (id, event) => {
      if (!isForSummary(event)) return;
      this.#summaries.delete(registry.timelines.of(id));
      if (this.#subscribers.size > 0) this.#talked.add(id);
    });
    campaigns.on('progress', (progress) => this.#tell('campaign', progress));
  }

  /** First come the calls so far, oldest first, then the status: a subscriber that has that has all of them. */
  add(subscriber: EventSubscriber): void {
    if (this.elsewhere) {
      void this.#addOfCluster(subscriber, this.elsewhere);
      return;
    }
    for (const record of this.registry.list().reverse()) subscriber.send(this.#place(record), { event: 'call' });
    this.#follow(subscriber);
  }

  async #addOfCluster(subscriber: EventSubscriber, elsewhere: ShownElsewhere): Promise<void> {
    const { calls } = await elsewhere.list();
    if (subscriber.gone.aborted) return;
    // Own calls may have changed while the others were asked for.
    const told = calls.map((call) => this.#place(this.registry.get(call.id) ?? call));
    for (const call of told.reverse()) {
      subscriber.send(call, { event: 'call' });
      // Earlier subscribers are told of what has changed since they were told last.
      if (this.#subscribers.size === 0) this.#others.set(call.id, JSON.stringify(call));
    }
    this.#follow(subscriber);
  }

  #follow(subscriber: EventSubscriber): void {
    for (const progress of this.campaigns.list().reverse()) subscriber.send(progress, { event: 'campaign' });
    subscriber.send(this.status(), { event: 'status' });
    this.#subscribers.add(subscriber);
    this.#look ??= setInterval(() => this.#tellNews(), LOOK_MS);
    subscriber.gone.addEventListener('abort', () => this.#remove(subscriber), { once: true });
  }

  #remove(subscriber: EventSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
    this.#others.clear();
  }

  #tellNews(): void {
    for (const id of this.#talked) {
      const record = this.registry.get(id);
      if (record) this.#tell('call', this.#place(record));
    }
    this.#talked.clear();
    this.#tellStatus();
    if (this.elsewhere) void this.#tellOthers(this.elsewhere);
  }

  /** What has changed at other runners. While Redis is away nothing is known of that. */
  async #tellOthers(elsewhere: ShownElsewhere): Promise<void> {
    const calls = await elsewhere.others();
    if (!calls || this.#subscribers.size === 0) return;
    const listed = new Set<string>(calls.map(({ id }) => id));
    for (const id of this.#others.keys()) if (!listed.has(id)) this.#others.delete(id);
    for (const call of calls.reverse()) {
      const text = JSON.stringify(call);
      if (text === this.#others.get(call.id)) continue;
      this.#others.set(call.id, text);
      this.#tell('call', call);
    }
  }

  /** A call of this runner, with what was said in it, and with where it is when there are others. */
  #place(record: CallRecord | PlacedCall): PlacedCall {
    if (!this.registry.get(record.id)) return record;
    const events = this.registry.timelines.of(record.id);
    if (!this.#summaries.has(events)) this.#summaries.set(events, summaryOf(events));
    const summary = this.#summaries.get(events);
    const placed = this.elsewhere ? this.elsewhere.place(record) : record;
    return summary ? { ...placed, summary } : placed;
  }

  #tellStatus(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text !== this.#told) this.#tell('status', status);
    this.#told = text;
  }

  #tell(event: 'call' | 'campaign' | 'status', data: PlacedCall | CampaignProgress | RunnerStatus): void {
    for (const subscriber of this.#subscribers) subscriber.send(data, { event });
  }
}
