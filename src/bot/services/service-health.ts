import { EventEmitter } from 'node:events';
import type { ProviderError } from '../../base/provider-error.js';
import type { ServiceName, ServiceState } from '../../call/service-name.js';

export type { ServiceName, ServiceState } from '../../call/service-name.js';

/** Asks a service for something that costs little; rejects while it does not work. */
export type Probe = () => Promise<void>;

interface Outage {
  state: ServiceState;
  /** How often it was tried again. */
  tries: number;
  /** Missing where another process tries it again. */
  timer?: NodeJS.Timeout | undefined;
  /** When that is due, in milliseconds since the Unix epoch. */
  dueAt?: number;
}

/**
 * When a service that has failed is tried again, in milliseconds since it failed, or since the last try; the last repeats: a probe is
 * paid for. One that refuses the key comes to that at once.
 */
const PROBES_MS = [5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000, 600_000];
/** Longer than a vendor may ask for, in milliseconds. */
const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * Which services of vendors work, for all calls of a process. One that has failed is not asked first again before a probe has succeeded,
 * or it has answered a call.
 */
export class ServiceHealth extends EventEmitter<{ changed: [state: ServiceState] }> {
  readonly #failed = new Map<string, Outage>();
  readonly #probes = new Map<string, Probe>();

  /** Those that are not well. */
  get failing(): readonly ServiceState[] {
    return [...this.#failed.values()].map(({ state }) => state);
  }

  isWell(name: ServiceName): boolean {
    return this.outageOf(name) === undefined;
  }

  /** What is wrong with a service; undefined where it is well. */
  outageOf(name: ServiceName): ServiceState | undefined {
    return this.#failed.get(keyOf(name))?.state;
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
    const known = this.#failed.get(keyOf(name));
    if (known) {
      this.#putOff(known, afterMs);
      return;
    }
    const { does, provider, model, which } = name;
    const { message: why, code } = error;
    const state = {
      does,
      provider,
      model,
      which,
      isWell: false,
      since: Date.now(),
      why,
      code,
      notBefore: notBefore(afterMs),
    };
    this.#add(state);
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
    else if (this.isWell(state) && !probes) this.#failed.set(keyOf(state), { state, tries: 0 });
    else if (probes && !this.#failed.get(keyOf(state))?.timer) this.#add(state);
    else this.#learnTime(state);
  }

  #add(state: ServiceState): void {
    const failed: Outage = { state, tries: 0 };
    this.#failed.set(keyOf(state), failed);
    this.#plan(failed);
  }

  /** The next try. */
  #plan(failed: Outage): void {
    const { state, tries } = failed;
    const isRefused = state.code === 'VB_CREDENTIALS_REFUSED';
    const ms = isRefused ? LONGEST_WAIT_MS : (PROBES_MS[Math.min(tries, PROBES_MS.length - 1)] as number);
    this.#tryAt(failed, Math.max(Date.now() + ms, state.notBefore ?? 0));
  }

  #tryAt(failed: Outage, at: number): void {
    clearTimeout(failed.timer);
    failed.dueAt = at;
    failed.timer = setTimeout(() => this.#tryAgain(failed), at - Date.now()).unref();
  }

  /** Without a probe, only a call finds out whether it works again. */
  async #tryAgain(failed: Outage): Promise<void> {
    const key = keyOf(failed.state);
    const isPresent = () => this.#failed.get(key) === failed;
    failed.tries += 1;
    try {
      const probe = this.#probes.get(key);
      await probe?.();
      if (isPresent() && probe) this.works(failed.state);
    } catch (error) {
      if (!isPresent()) return;
      const { code, retryAfterMs = 0 } = error as Partial<ProviderError>;
      failed.state = { ...failed.state, code };
      this.#putOff(failed, retryAfterMs);
    }
    if (isPresent()) this.#plan(failed);
  }

  /** The vendor asks for time: later than it has asked before counts. */
  #putOff(failed: Outage, afterMs: number): void {
    const until = notBefore(afterMs);
    if (until === undefined || until <= (failed.state.notBefore ?? 0)) return;
    this.#learnTime({ ...failed.state, notBefore: until });
    this.emit('changed', failed.state);
  }

  /** Another process was asked for time. */
  #learnTime(state: ServiceState): void {
    const failed = this.#failed.get(keyOf(state));
    const { notBefore: until = 0 } = state;
    if (!failed || until <= (failed.state.notBefore ?? 0)) return;
    failed.state = { ...failed.state, notBefore: until };
    if (failed.timer && until > (failed.dueAt ?? 0)) this.#tryAt(failed, until);
  }

  #remove(name: ServiceName): void {
    clearTimeout(this.#failed.get(keyOf(name))?.timer);
    this.#failed.delete(keyOf(name));
  }
}

/** @returns undefined where a vendor has not asked for time */
const notBefore = (afterMs: number): number | undefined =>
  afterMs > 0 ? Date.now() + Math.min(afterMs, LONGEST_WAIT_MS) : undefined;

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
