import { EventEmitter } from 'node:events';
import type { ProviderError } from '../../base/provider-error.js';
import type { ServiceName, ServiceState } from '../../call/service-name.js';

export type { ServiceName, ServiceState } from '../../call/service-name.js';

/** Asks a service for something that costs little; rejects while it does not work. */
export type Probe = () => Promise<void>;

interface Outage {
  readonly state: ServiceState;
  /** Missing where another process tries it again. */
  timer?: NodeJS.Timeout | undefined;
}

/** When a service that has failed is tried again, in milliseconds since it failed, or since the last try; the last repeats. */
const PROBES_MS = [5_000, 10_000, 20_000, 40_000, 60_000];
/** Later than a vendor may ask for, in milliseconds. */
const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * Which services of vendors work, for all calls of a process. One that has failed is not asked first again before a probe has succeeded;
 * where there is none, before the time for one has come.
 */
export class ServiceHealth extends EventEmitter<{ changed: [state: ServiceState] }> {
  readonly #failed = new Map<string, Outage>();
  readonly #probes = new Map<string, Probe>();

  /** Those that are not well. */
  get failing(): readonly ServiceState[] {
    return [...this.#failed.values()].map(({ state }) => state);
  }

  isWell(name: ServiceName): boolean {
    return !this.#failed.has(keyOf(name));
  }

  /** In the order in which they are asked: those that are well first, else as they were given. */
  inOrder<Choice>(choices: readonly Choice[], nameOf: (choice: Choice) => ServiceName): readonly Choice[] {
    const isWell = (choice: Choice) => this.isWell(nameOf(choice));
    return [...choices.filter(isWell), ...choices.filter((choice) => !isWell(choice))];
  }

  /** How a service is tried again, also one that has failed in another process. The last one given counts. */
  probeWith(name: ServiceName, probe: Probe): void {
    this.#probes.set(keyOf(name), probe);
  }

  /**
   * A service has failed for good in a call.
   * @param probe default: what {@link probeWith} was given
   * @param afterMs before which it is not to be asked again, of `Retry-After`
   */
  failed(name: ServiceName, error: ProviderError, probe?: Probe, afterMs = 0): void {
    if (probe) this.probeWith(name, probe);
    if (!this.isWell(name)) return;
    const { does, provider, model, which } = name;
    const state = { does, provider, model, which, isWell: false, since: Date.now(), why: error.message };
    this.#add({ state }, afterMs);
    this.emit('changed', state);
  }

  /** A service has done what it was asked for. */
  works(name: ServiceName): void {
    if (this.isWell(name)) return;
    this.#remove(name);
    const { does, provider, model, which } = name;
    this.emit('changed', { does, provider, model, which, isWell: true });
  }

  /** What another process has found out. @param probes this one is to try it again */
  learn(state: ServiceState, probes: boolean): void {
    if (state.isWell) this.#remove(state);
    else if (this.isWell(state) && !probes) this.#failed.set(keyOf(state), { state });
    else if (probes && !this.#failed.get(keyOf(state))?.timer) this.#add({ state });
  }

  #add(failed: Outage, afterMs = 0): void {
    const first = Math.max(Math.min(afterMs, LONGEST_WAIT_MS), PROBES_MS[0] as number);
    const key = keyOf(failed.state);
    const tryAgain = (tries: number, ms: number): NodeJS.Timeout =>
      setTimeout(async () => {
        try {
          await this.#probes.get(key)?.();
          if (this.#failed.get(key) === failed) this.works(failed.state);
        } catch {
          if (this.#failed.get(key) !== failed) return;
          failed.timer = tryAgain(tries + 1, PROBES_MS[Math.min(tries, PROBES_MS.length - 1)] as number);
        }
      }, ms).unref();
    failed.timer = tryAgain(1, first);
    this.#failed.set(key, failed);
  }

  #remove(name: ServiceName): void {
    clearTimeout(this.#failed.get(keyOf(name))?.timer);
    this.#failed.delete(keyOf(name));
  }
}

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const SERVICE_HEALTH = Symbol.for('voicebot.serviceHealth');

/** Of all calls of this process. */
export const sharedHealth = healthOfProcess();

function healthOfProcess(): ServiceHealth {
  const shared = globalThis as { [SERVICE_HEALTH]?: ServiceHealth };
  shared[SERVICE_HEALTH] ??= new ServiceHealth();
  return shared[SERVICE_HEALTH];
}

const keyOf = ({ does, provider, model, which }: ServiceName) => JSON.stringify([does, provider, model, which]);
