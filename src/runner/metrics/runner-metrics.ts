import type { Response } from 'express';
import type { Registry } from 'prom-client';
import { VoicebotError } from '../../base/errors.js';
import type { RequestObserver } from '../../base/http/rest-client.js';
import { importOptionalPackage } from '../../base/optional-package.js';
import type { CarrierAccess } from '../calls/carrier/carrier-adapter.js';
import { noteRequests } from '../calls/life/current-call.js';
import type { RoomsAccess } from '../calls/rooms/rooms-adapter.js';
import { problemAnswer } from '../http/problem-answer.js';
import type { RefusalReason } from '../http/refusal-log.js';
import { MetricSet, type Prometheus } from './metric-set.js';
import { type CountedParts, RunnerCounts } from './runner-counts.js';

export interface RunnerMetricsOptions extends CountedParts {
  readonly provider: CarrierAccess | RoomsAccess;
}

/** What an operator's Prometheus reads of one runner. Where `prom-client` is not installed nothing is counted, and nothing can be read. */
export class RunnerMetrics {
  /** To be told of the requests to the provider. */
  readonly requested: RequestObserver;
  #prometheus: Prometheus | undefined;
  #set: MetricSet | undefined;
  #counts: RunnerCounts | undefined;
  #isClosed = false;

  constructor(private readonly options: RunnerMetricsOptions) {
    const note = noteRequests(options.registry);
    this.requested = (sent) => {
      note(sent);
      this.#counts?.requested(sent);
    };
  }

  /** Begins to count. */
  async open(): Promise<void> {
    const prometheus = (await importOptionalPackage('prom-client').catch(() => undefined)) as Prometheus | undefined;
    if (!prometheus || this.#isClosed) return;
    const { provider } = this.options;
    const { name } = provider.kind === 'carrier' ? provider.carrier : provider.provider;
    this.#prometheus = prometheus;
    this.#set = new MetricSet(prometheus);
    this.#counts = new RunnerCounts(this.#set, this.options, name);
  }

  /** A stranger was refused. */
  refused(refusal: RefusalReason): void {
    this.#counts?.refused(refusal);
  }

  /** Sends all of them in Prometheus' text format, those of this process among them. */
  async answer(response: Response): Promise<void> {
    if (!this.#prometheus || !this.#set) {
      const missing = new VoicebotError('VB_CONFIG_INVALID', 'metrics need the package prom-client', {
        hint: 'npm install prom-client, and start the runner again',
      });
      const { status, body } = problemAnswer(missing);
      response.status(status).json(body);
      return;
    }
    const all = this.#prometheus.Registry.merge([this.#set.registry, processMetrics(this.#prometheus)]);
    response.set('content-type', all.contentType).send(await all.metrics());
  }

  close(): void {
    this.#isClosed = true;
    this.#counts?.close();
  }
}

/** Gauges whose names Prometheus keeps for counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

let ofProcess: Registry | undefined;

/** Of all runners in this process. Made when it is first asked for, since the measuring that it begins never ends. */
function processMetrics({ Registry, collectDefaultMetrics }: Prometheus): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    for (const name of MISNAMED) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
}
