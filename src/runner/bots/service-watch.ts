import type { EventEmitter } from 'node:events';
import type { CallId } from '../../call/call-id.js';
import type { FailedService } from '../../call/runner-status.js';
import type { ServiceModel, ServiceName, ServiceState } from '../../call/service-name.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { BotPool } from './bot-pool.js';
import type { BotProcess } from './bot-process.js';

/** Services that are remembered: what a bot says is bounded. */
const MOST_SERVICES = 50;

interface WatchedOutage {
  state: ServiceState;
  /** Which process tries it again; undefined while there is none. */
  prober: BotProcess | undefined;
}

/**
 * Which services of vendors work, for all bot processes: each tells what it finds out, and all learn it. One of them tries a service
 * again that has failed, and when that process ends, another one does.
 */
export class ServiceWatch {
  readonly #failed = new Map<string, WatchedOutage>();
  /** The order is that of their last use. */
  readonly #seen = new Map<string, ServiceName>();

  /** @param changed a service has failed, or works again */
  constructor(
    private readonly pool: BotPool,
    timelines: EventEmitter<{ event: [callId: CallId, event: TimelineEvent] }>,
    private readonly changed: (service: ServiceState) => void,
  ) {
    pool.on('created', (process) => this.#follow(process));
    timelines.on('event', (_callId, event) => this.#note(event));
  }

  /** Those that calls have used, and those that have failed: one of each model, which has failed where any has. */
  get all(): readonly ServiceState[] {
    const failed = [...this.#failed.values()].map(({ state }) => state);
    const well = [...this.#seen.values()].map((name) => ({ ...name, isWell: true }));
    const byModel = new Map<string, ServiceState>();
    for (const state of [...failed, ...well]) {
      const key = keyOf({ ...state, which: undefined });
      if (!byModel.has(key)) byModel.set(key, state);
    }
    return [...byModel.values()];
  }

  /** Those that have failed, each with what works in its place; undefined when all work. */
  get failing(): readonly FailedService[] | undefined {
    if (this.#failed.size === 0) return undefined;
    return [...this.#failed.values()].map(({ state }) => {
      const instead = [...this.#seen].findLast(([key, { does }]) => does === state.does && !this.#failed.has(key))?.[1];
      return { ...state, ...(instead && { instead: { provider: instead.provider, model: instead.model } }) };
    });
  }

  #follow(process: BotProcess): void {
    for (const failed of this.#failed.values()) this.#tell(process, failed);
    process.on('service_health', (state) => this.#told(process, state));
    process.once('exit', () => this.#appoint(process));
  }

  #told(process: BotProcess, { isWell, ...told }: ServiceState): void {
    const key = keyOf(told);
    const known = this.#failed.get(key);
    if (known && !isWell) {
      this.#putOff(process, known, told);
      return;
    }
    if (isWell !== this.#failed.has(key) || (!isWell && this.#failed.size >= MOST_SERVICES)) return;
    const failed: WatchedOutage = { state: { ...told, isWell }, prober: process };
    if (isWell) this.#failed.delete(key);
    else this.#failed.set(key, failed);
    for (const other of this.pool.processes) if (other !== process) this.#tell(other, failed);
    this.changed(failed.state);
  }

  /** The vendor asks a process for more time. */
  #putOff(process: BotProcess, failed: WatchedOutage, { notBefore = 0 }: Omit<ServiceState, 'isWell'>): void {
    if (notBefore <= (failed.state.notBefore ?? 0)) return;
    failed.state = { ...failed.state, notBefore };
    for (const other of this.pool.processes) if (other !== process) this.#tell(other, failed);
  }

  /** The process is gone. */
  #appoint(gone: BotProcess): void {
    for (const failed of this.#failed.values()) {
      if (failed.prober !== gone) continue;
      failed.prober = undefined;
      const next = [...this.pool.processes].find((process) => process !== gone && process.isUsable);
      if (next) this.#tell(next, failed);
    }
  }

  #tell(process: BotProcess, failed: WatchedOutage): void {
    const { state } = failed;
    if (!state.isWell) failed.prober ??= process;
    process.send({ type: 'service_health', state, probes: failed.prober === process });
  }

  #note(event: TimelineEvent): void {
    if (event.type === 'service') this.#see(event.does, event);
    // In place of a realtime model it is the cascade that goes on, whose services tell of themselves.
    else if (event.type === 'service_switched' && event.does !== 'live') this.#see(event.does, event.to);
    else if (event.type === 'model_asked') this.#see('language_model', event);
  }

  #see(does: ServiceName['does'], { provider, model }: ServiceModel): void {
    const name = { does, provider, model };
    this.#seen.delete(keyOf(name));
    this.#seen.set(keyOf(name), name);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_SERVICES && oldest !== undefined) this.#seen.delete(oldest);
  }
}

const keyOf = ({ does, provider, model, which }: ServiceName): string => JSON.stringify([does, provider, model, which]);
