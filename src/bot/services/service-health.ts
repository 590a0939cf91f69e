import { EventEmitter } from 'node:events';
import type { ProviderError } from '../../base/provider-error.js';
import type { ServiceName } from '../../call/service-name.js';

export type { ServiceName } from '../../call/service-name.js';

/** A service as it stands in this process. */
export interface ServiceState extends ServiceName {
  readonly isWell: boolean;
  /** What it has failed with, while it is not well. */
  readonly error?: ProviderError | undefined;
}

interface FailedService {
  readonly name: ServiceName;
  readonly error: ProviderError;
  timer: NodeJS.Timeout;
}

/** When a service that has failed is tried again, in milliseconds since it failed, or since the last try; the last repeats. */
const PROBES_MS = [5_000, 10_000, 20_000, 40_000, 60_000];

/**
 * Which services of vendors work, for all calls of a process. One that has failed is not asked first again before a probe has succeeded;
 * where there is none, before the time for one has come.
 */
export class ServiceHealth extends EventEmitter<{ changed: [state: ServiceState] }> {
  readonly #failed = new Map<string, FailedService>();

  /** Those that are not well. */
  get failing(): readonly ServiceState[] {
    return [...this.#failed.values()].map(({ name, error }) => ({ ...name, isWell: false, error }));
  }

  isWell(name: ServiceName): boolean {
    return !this.#failed.has(keyOf(name));
  }

  /** In the order in which they are asked: those that are well first, else as they were given. */
  inOrder<Choice>(choices: readonly Choice[], nameOf: (choice: Choice) => ServiceName): readonly Choice[] {
    const isWell = (choice: Choice) => this.isWell(nameOf(choice));
    return [...choices.filter(isWell), ...choices.filter((choice) => !isWell(choice))];
  }

  /**
   * A service has failed for good in a call.
   * @param probe asks it for something that costs little; rejects while it does not work
   * @param afterMs before which it is not to be asked again, of `Retry-After`
   */
  failed(name: ServiceName, error: ProviderError, probe: () => Promise<void> = async () => {}, afterMs = 0): void {
    const key = keyOf(name);
    if (this.#failed.has(key)) return;
    const tryAgain = (tries: number, ms: number): NodeJS.Timeout =>
      setTimeout(() => {
        probe().then(
          () => this.works(name),
          () => {
            const failed = this.#failed.get(key);
            if (failed) failed.timer = tryAgain(tries + 1, PROBES_MS[Math.min(tries, PROBES_MS.length - 1)] as number);
          },
        );
      }, ms).unref();
    this.#failed.set(key, { name, error, timer: tryAgain(1, Math.max(afterMs, PROBES_MS[0] as number)) });
    this.emit('changed', { ...name, isWell: false, error });
  }

  /** A service has done what it was asked for. */
  works(name: ServiceName): void {
    const failed = this.#failed.get(keyOf(name));
    if (!failed) return;
    clearTimeout(failed.timer);
    this.#failed.delete(keyOf(name));
    this.emit('changed', { ...name, isWell: true });
  }
}

/** Of all calls of this process. */
export const sharedHealth = new ServiceHealth();

const keyOf = ({ does, provider, model }: ServiceName) => JSON.stringify([does, provider, model]);
