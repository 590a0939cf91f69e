import pRetry, { AbortError } from 'p-retry';
import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { pause } from '../../../base/async/pause.js';
import { VoicebotError } from '../../../base/errors.js';
import type { Logger } from '../../../base/logger.js';
import { LONGEST_CALL_MS } from '../../../call/call.js';
import type { ProviderCallId } from '../../../call/call-id.js';
import type { ObligationJournal } from './hangup-journal.js';

/** Wait before the second try, and the longest between two, in milliseconds. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** How long open hang-ups may hold up the end of the runner, in milliseconds. */
const CLOSE_LIMIT_MS = 3_000;

export interface HangupsOptions<Id extends string> {
  /** Resolves when it is over at the provider, or unknown there. */
  client: { hangUp(id: Id, signal: AbortSignal): Promise<unknown> };
  journal: ObligationJournal;
  /** What it ends, for people. Default: `calls`. */
  what?: string;
  logger: Logger;
}

/**
 * Ends calls at the carrier and does not let go: written down first, repeated with growing random pauses until the
 * carrier says that the call is over or unknown, and taken up again by the next runner when this one dies. Rooms are deleted in the
 * same way, by their names.
 */
export class Hangups<Id extends string = ProviderCallId> {
  readonly #open = new Map<Id, { abort: AbortController; ended: Promise<void> }>();
  #isClosed = false;

  constructor(private readonly options: HangupsOptions<Id>) {}

  /**
   * @param id the carrier's identifier
   * @param graceMs how long it may take to end by itself first, in milliseconds
   */
  ensureEnded(id: Id, graceMs = 0): void {
    if (this.#open.has(id)) return;
    this.#write(() => this.options.journal.add(id), id);
    if (this.#isClosed) return;
    const abort = new AbortController();
    const ended = this.#end(id, graceMs, abort.signal);
    this.#open.set(id, { abort, ended });
  }

  /** Whether this runner is ending it. */
  isEnding(id: Id): boolean {
    return this.#open.has(id);
  }

  /** The carrier says that the call is over. */
  settled(id: Id): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.abort.abort();
    this.#forget(id);
  }

  /** Takes up what runners that are gone have left, and in a cluster what others leave from now on. @returns how many calls are left now */
  replay(): number {
    const ids = this.#orphans();
    for (const id of ids) this.ensureEnded(id);
    const { journal, logger, what = 'calls' } = this.options;
    journal.follow((taken) => {
      logger.warn(`ending ${what} that another runner of the cluster left open`, { count: taken.length });
      for (const id of taken) this.ensureEnded(id as Id);
    });
    return ids.length;
  }

  /**
   * Gives open hang-ups a moment, unless `atOnce` is or becomes aborted, then leaves them to the next runner, and with
   * them whatever is owed from here on.
   */
  async close(atOnce: AbortSignal): Promise<void> {
    this.#isClosed = true;
    const hurried = deferred();
    atOnce.addEventListener('abort', () => hurried.resolve(), { once: true });
    if (atOnce.aborted) hurried.resolve();
    const ended = Promise.all([...this.#open.values()].map((open) => open.ended));
    await settlesWithin(Promise.race([ended, hurried.promise]), CLOSE_LIMIT_MS);
    for (const { abort } of this.#open.values()) abort.abort();
    this.#open.clear();
    await this.options.journal.close();
  }

  async #end(id: Id, graceMs: number, signal: AbortSignal): Promise<void> {
    try {
      if (graceMs > 0) await pause(graceMs, signal);
      await pRetry(() => this.#attempt(id, signal), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: FIRST_PAUSE_MS,
        maxTimeout: LONGEST_PAUSE_MS,
        maxRetryTime: LONGEST_CALL_MS,
        randomize: true,
        signal,
        onFailedAttempt: ({ error, attemptNumber }) => {
          if (signal.aborted) return;
          this.options.logger.warn('hang-up not confirmed, trying again', {
            providerCallId: id,
            attemptNumber,
            error,
          });
        },
      });
      this.#forget(id);
    } catch (error) {
      if (signal.aborted) return;
      // It stays in the journal: the next runner, with other credentials perhaps, tries again.
      this.options.logger.error('a call could not be ended at the carrier and may go on', {
        providerCallId: id,
        error,
      });
      this.#open.delete(id);
    }
  }

  async #attempt(id: Id, signal: AbortSignal): Promise<void> {
    try {
      await this.options.client.hangUp(id, signal);
    } catch (error) {
      throw isFinal(error) ? new AbortError(error) : error;
    }
  }

  #forget(id: Id): void {
    this.#open.delete(id);
    this.#write(() => this.options.journal.remove(id), id);
  }

  /** A journal that cannot be read must not keep the runner from serving calls. */
  #orphans(): Id[] {
    try {
      return this.options.journal.orphans() as Id[];
    } catch (error) {
      this.options.logger.error('the journal of hang-ups could not be read', { error });
      return [];
    }
  }

  /** A full disk must not keep a call from being ended. */
  #write(change: () => void, id: Id): void {
    try {
      change();
    } catch (error) {
      this.options.logger.error('the journal of hang-ups could not be written', { providerCallId: id, error });
    }
  }
}

/** Whether the same request would fail for ever: nothing but other credentials helps, or nothing at all. */
function isFinal(error: unknown): error is VoicebotError {
  return (
    error instanceof VoicebotError &&
    (error.code === 'VB_CREDENTIALS_REFUSED' || error.code === 'VB_IDENTIFIER_INVALID')
  );
}
