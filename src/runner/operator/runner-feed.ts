import type { CallRecord } from '../../call/call-record.js';
import type { CampaignProgress } from '../../call/campaign-progress.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import type { Campaigns } from '../../campaign/campaigns.js';
import type { CallRegistry } from '../calls/call-registry.js';
import type { EventSubscriber } from './event-subscriber.js';

/** How often the runner's status is looked at, in milliseconds, while somebody follows it. */
const LOOK_MS = 1_000;

/** Tells those who follow the runner each change of its status, of its calls and of its campaigns. */
export class RunnerFeed {
  readonly #subscribers = new Set<EventSubscriber>();
  #look: NodeJS.Timeout | undefined;
  #told = '';

  constructor(
    private readonly registry: CallRegistry,
    private readonly campaigns: Campaigns,
    private readonly status: () => RunnerStatus,
  ) {
    registry.on('change', (record) => this.#tell('call', record));
    campaigns.on('progress', (progress) => this.#tell('campaign', progress));
  }

  /** First come the calls so far, oldest first, then the status: whoever has that has all of them. */
  add(subscriber: EventSubscriber): void {
    for (const record of this.registry.list().reverse()) subscriber.send(record, { event: 'call' });
    for (const progress of this.campaigns.list().reverse()) subscriber.send(progress, { event: 'campaign' });
    subscriber.send(this.status(), { event: 'status' });
    this.#subscribers.add(subscriber);
    this.#look ??= setInterval(() => this.#tellStatus(), LOOK_MS);
    subscriber.gone.addEventListener('abort', () => this.#remove(subscriber), { once: true });
  }

  #remove(subscriber: EventSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #tellStatus(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text !== this.#told) this.#tell('status', status);
    this.#told = text;
  }

  #tell(event: 'call' | 'campaign' | 'status', data: CallRecord | CampaignProgress | RunnerStatus): void {
    for (const subscriber of this.#subscribers) subscriber.send(data, { event });
  }
}
