import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { everyInterval } from '../../base/async/every-interval.js';
import type { SentRequest } from '../../base/http/rest-client.js';
import { packageVersion } from '../../base/package-version.js';
import { isSameProcess, thisProcess } from '../../base/process/process-identity.js';
import { SERVICE_KINDS } from '../../call/service-name.js';
import type { BotPool } from '../bots/bot-pool.js';
import type { BotProcess } from '../bots/bot-process.js';
import type { ServiceWatch } from '../bots/service-watch.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import { REFUSALS, type RefusalReason } from '../http/refusal-log.js';
import { LeaseJournal } from '../numbers/lease-journal.js';
import { CallCounts } from './call-counts.js';
import { countCosts } from './cost-counts.js';
import type { MetricSet } from './metric-set.js';

/** Folders of the state directory: each file in them is something that is still owed. */
const JOURNALS = ['hangups', 'rooms', 'room-ends', 'leases'] as const;
const BOT_STATES = ['starting', 'warm', 'busy', 'ending'] as const satisfies BotProcess['state'][];
const REQUEST_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DELAY_BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];
/** How often it is measured how late the runner's event loop is, in milliseconds: as often as a bot's process does. */
const LOOK_EVERY_MS = 500;

export interface CountedParts {
  readonly registry: CallRegistry;
  readonly pool: BotPool;
  /** Absolute path of the folder for what must survive this process. */
  readonly stateDirectory: string;
  /** Whether the provider reaches the runner. */
  readonly isReachable: () => boolean;
  /** Events that the user's application has not accepted yet. */
  readonly eventsWaiting: () => number;
  /** Which services of vendors work. */
  readonly services: Pick<ServiceWatch, 'all'>;
  /** Counts what a runner has with others; undefined where it is alone. */
  readonly countOthers?: ((set: MetricSet) => void) | undefined;
}

/** What is counted of one runner, from its creation on. */
export class RunnerCounts {
  readonly #refused;
  readonly #requests;
  readonly #requestDuration;
  readonly #looking: NodeJS.Timeout;

  /** @param provider the name of the one whose calls the runner serves */
  constructor(
    set: MetricSet,
    private readonly parts: CountedParts,
    private readonly provider: string,
  ) {
    const { registry, isReachable, countOthers } = parts;
    countOthers?.(set);
    const calls = new CallCounts(set, registry);
    registry.on('change', (record) => calls.changed(record));
    registry.on('released', (id) => calls.released(id));
    countCosts(set, registry);
    registry.timelines.on('event', (callId, event) => calls.noted(callId, event));
    const delay = set.histogram(
      'event_loop_delay_seconds',
      'How late the event loops of the runner and of its bots are, measured twice a second in each process.',
      DELAY_BUCKETS,
      { process: ['runner', 'bot'] },
    );
    this.#looking = everyInterval(LOOK_EVERY_MS, (lateMs) => delay({ process: 'runner' }, lateMs)).unref();
    this.#countBots(set, (lateMs) => delay({ process: 'bot' }, lateMs));
    this.#requests = set.counter(
      'provider_requests_total',
      'Requests to the REST API of the provider, by HTTP status, which is none when no answer came.',
      { provider: [provider], code: /^(?:[1-5]\d\d|none)$/ },
    );
    this.#requestDuration = set.histogram(
      'provider_request_duration_seconds',
      'How long the REST API of the provider takes to answer.',
      REQUEST_BUCKETS,
      { provider: [provider] },
    );
    this.#refused = set.counter('requests_refused_total', 'Webhooks and media streams that were refused.', {
      reason: Object.keys(REFUSALS),
    });
    set.gauge('reachable', 'Whether the provider reaches the runner: 0 while the tunnel is down.', {}, () => [
      [{}, Number(isReachable())],
    ]);
    set.gauge('number_held', 'Whether the run has pointed a number at itself.', {}, () => [
      [{}, Number(this.#holdsNumber())],
    ]);
    const model = /^[\w .:/@+-]{0,80}$/;
    set.gauge(
      'service_up',
      'Whether a service of a vendor works: 0 from its failure in a call until it works again. Of those that calls have used.',
      { does: SERVICE_KINDS, provider: /^[\w .:/@+-]{1,80}$/, model },
      () =>
        parts.services.all.map(({ does, provider, model = '', isWell }) => [{ does, provider, model }, Number(isWell)]),
    );
    const journals = [...JOURNALS, 'events'];
    set.gauge('journal_entries', 'What the state directory says is still to be done.', { journal: journals }, () =>
      this.#journals(),
    );
    set.gauge('build_info', 'The version of voicebot; always 1.', { version: /^[\w.+-]{1,40}$/ }, () => [
      [{ version: packageVersion() }, 1],
    ]);
  }

  /** A stranger was refused. */
  refused(refusal: RefusalReason): void {
    this.#refused({ reason: refusal });
  }

  /** The provider was asked. */
  requested({
    status = 'none',
    ms,
  }: Pick<SentRequest, 'ms'> & { readonly status?: number | 'none' | undefined }): void {
    const { provider } = this;
    this.#requests({ provider, code: String(status) });
    this.#requestDuration({ provider }, ms);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #countBots(set: MetricSet, delayed: (lateMs: number) => void): void {
    const { pool } = this.parts;
    set.gauge('bots', 'Bot processes.', { state: BOT_STATES }, () =>
      BOT_STATES.map((state) => [{ state }, [...pool.processes].filter((process) => process.state === state).length]),
    );
    set.gauge('bots_memory_bytes', 'Memory of all bot processes.', {}, () => [
      [{}, [...pool.processes].reduce((sum, { residentBytes }) => sum + residentBytes, 0)],
    ]);
    const deaths = set.counter(
      'bot_deaths_total',
      'Bot processes that have ended by themselves, hung, or could not load the bot file, by what they did before.',
      { state: BOT_STATES.filter((state) => state !== 'ending') },
    );
    const follow = (process: BotProcess) => {
      process.on('load_failed', () => deaths({ state: 'starting' }));
      process.on('died', (callIds) => deaths({ state: callIds.length > 0 ? 'busy' : 'warm' }));
      process.on('heartbeat', delayed);
    };
    for (const process of pool.processes) follow(process);
    pool.on('created', follow);
  }

  #holdsNumber(): boolean {
    const self = thisProcess();
    return new LeaseJournal(this.parts.stateDirectory).entries().some((entry) => isSameProcess(entry, self));
  }

  async #journals() {
    const files = await Promise.all(
      JOURNALS.map(async (journal) => {
        const names = await namesIn(join(this.parts.stateDirectory, journal));
        return [{ journal }, names.filter((name) => name.endsWith('.json')).length] as const;
      }),
    );
    return [...files, [{ journal: 'events' }, this.parts.eventsWaiting()] as const];
  }
}

/** None in a folder that nothing has been written to yet. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
