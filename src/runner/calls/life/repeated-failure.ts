import { type Exception, isSameException } from '../../../base/exception/exception.js';
import type { TimelineEvent } from '../../../call/timeline.js';

/** Of one call: whether its bots fail alike, whatever the caller does. */
export class RepeatedFailure {
  #last: Exception | undefined;

  /**
   * A bot of the call has failed.
   * @param since when it was given the call, milliseconds since the Unix epoch
   * @param events of the call
   * @returns whether the one before has failed alike, and both before they had taken in anything of the caller
   */
  failed(exception: Exception, since: number, events: readonly TimelineEvent[]): boolean {
    const isAtOnce = !events.some((event) => event.at >= since && isOfCaller(event));
    const isRepeated = isAtOnce && this.#last !== undefined && isSameException(this.#last, exception);
    this.#last = isAtOnce ? exception : undefined;
    return isRepeated;
  }
}

/** The caller has said or pressed something. */
const isOfCaller = (event: TimelineEvent): boolean =>
  (event.type === 'said' && event.speaker === 'caller') || (event.type === 'keys' && event.direction === 'in');
