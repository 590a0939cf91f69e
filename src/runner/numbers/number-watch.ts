import type { Logger } from '../../base/logger.js';
import type { NumberLease } from './number-lease.js';
import type { NumberPlace } from './point-number.js';

/** How often one of the runners looks that hold a number together, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/**
 * Looks after a number of a cluster for as long as it is held: a run that has lost it may carry out late what it had begun. Says
 * once when the number was taken away, or changed by a person or another program.
 */
export class NumberWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #stopped = new AbortController();
  #looking: Promise<void> | undefined;
  #last: NumberPlace = 'in_place';

  /** @param everyMs default 5000 */
  constructor(
    private readonly lease: Pick<NumberLease, 'check' | 'number'>,
    private readonly logger: Logger,
    private readonly everyMs = LOOK_EVERY_MS,
  ) {
    this.#timer = setInterval(() => this.#look(), everyMs).unref();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#check().finally(() => {
      this.#looking = undefined;
    });
  }

  async #check(): Promise<void> {
    try {
      const place = await this.lease.check(this.everyMs, this.#stopped.signal);
      if (place && (place !== this.#last || place === 'repaired')) this.#tell(place);
      this.#last = place ?? this.#last;
    } catch (error) {
      // The provider, or Redis, is away for a moment: the next look is soon.
      if (!this.#stopped.signal.aborted) this.logger.debug('whether a number points here could not be seen', { error });
    }
  }

  #tell(place: NumberPlace): void {
    const number = { 'pii.number': this.lease.number };
    if (place === 'repaired') {
      this.logger.warn('a run that had lost the number changed it late: it points here again', number);
    } else if (place === 'changed') {
      this.logger.warn(
        'a person or another program has changed the number, and it stays so: it does not point here any more',
        number,
      );
    } else if (place === 'taken') {
      this.logger.warn('the number was taken from this run, or given back while nothing was heard of this run', number);
    }
  }
}
