import { withDeadline } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData } from '../../call/transfer-outcome.js';

export const CALLER_LEFT: AcceptedTransferOutcome = { status: 'caller_left' };

export type TransferPhase = 'announcing' | 'requested' | 'accepted' | 'answered' | 'over';

/** Longest waits, in milliseconds. */
export interface TransferLimits {
  /** For the provider to accept or refuse it. */
  readonly requestMs: number;
  /** For what became of it, once it is accepted. */
  readonly outcomeMs: number;
}

/**
 * One attempt to connect the caller with the destination:
 *
 * ```
 *   announcing ───> requested ───> accepted ───> answered
 *        │              │              │
 *        └──────────────┴──────────────┴───────> over
 * ```
 *
 * It is over when it is refused, when the destination is not reached, when the caller leaves, and when the bot gives it up. How it is
 * asked for, and how its outcome is learned, is a matter of what carries the call.
 */
export abstract class Transfer {
  #phase: TransferPhase = 'announcing';
  readonly #settled = deferred<AcceptedTransferOutcome>();
  #outcome: Promise<AcceptedTransferOutcome> | undefined;

  /** @param to E.164, or a `sip:` address */
  constructor(
    readonly to: string,
    private readonly limits: TransferLimits,
  ) {}

  get phase(): TransferPhase {
    return this.#phase;
  }

  get isPending(): boolean {
    return this.#phase !== 'answered' && this.#phase !== 'over';
  }

  get isAnswered(): boolean {
    return this.#phase === 'answered';
  }

  /** Asked for, and its outcome not known. */
  get isUnderWay(): boolean {
    return this.#phase === 'requested' || this.#phase === 'accepted';
  }

  /**
   * Whether this is going on and goes to `to`, so that a second request for the same has only to wait.
   * @throws VoicebotError VB_TRANSFER_FAILED when it goes somewhere else
   */
  isJoinedBy(to: string): boolean {
    if (this.isPending && this.to !== to) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'another transfer is going on');
    }
    return this.isPending;
  }

  /**
   * Resolves when the outcome is known, after {@link over}. Called again, it gives the same.
   * @param announce resolves when the caller has heard what was said
   * @throws VoicebotError when it is refused; the call is as it was then
   */
  run(announce: () => Promise<void> = async () => {}): Promise<AcceptedTransferOutcome> {
    this.#outcome ??= this.#conclude(this.#carryOut(announce));
    return this.#outcome;
  }

  /** Goes on with what an earlier bot of the call has asked for, for `limitMs` at most. Never rejects. */
  resume(limitMs: number): Promise<AcceptedTransferOutcome> {
    this.#phase = 'accepted';
    this.#outcome = this.#conclude(withDeadline(this.#settled.promise, limitMs, outcomeUnknown));
    return this.#outcome;
  }

  /** The first outcome counts. The provider tells it, or the bot, by ending the call or its pipeline. */
  settle(outcome: AcceptedTransferOutcome): void {
    if (!this.isPending) return;
    const told = outcome.status !== 'answered' && this.hasCallerLeft ? this.withoutCaller(outcome) : outcome;
    this.#phase = told.status === 'answered' ? 'answered' : 'over';
    this.#settled.resolve(told);
    if (told.status === 'answered') this.answered?.(told.data);
  }

  /** Whether the caller has gone, and no failure of the transfer brings them back. */
  protected abstract readonly hasCallerLeft: boolean;

  /** The outcome where the caller has gone. @param outcome what became of the destination; undefined when that is not known */
  protected withoutCaller(_outcome: AcceptedTransferOutcome | undefined): AcceptedTransferOutcome {
    return CALLER_LEFT;
  }

  /** Decides whether the caller may be sent there, before anything is said. @throws VoicebotError when not */
  protected allow?(): Promise<void>;

  /** Asks for it; resolves when it is accepted. @throws VoicebotError when it is refused */
  protected abstract request(): Promise<void>;

  /** It is accepted: from now on the outcome may be settled at any time. */
  protected abstract accepted(): void;

  /** The caller talks to the destination: told at once. */
  protected answered?(data: DialoutAnsweredData): void;

  /** Nothing is waited for any more. @param outcome undefined when it was refused */
  protected abstract over(outcome: AcceptedTransferOutcome | undefined): void;

  async #carryOut(announce: () => Promise<void>): Promise<AcceptedTransferOutcome> {
    if (this.allow) await this.#unlessSettled(this.allow());
    if (this.isPending) await this.#unlessSettled(announce());
    if (this.isPending) {
      this.#phase = 'requested';
      await withDeadline(this.#unlessSettled(this.request()), this.limits.requestMs, answerMissing);
    }
    if (this.isPending) {
      this.#phase = 'accepted';
      this.accepted();
    }
    return withDeadline(this.#settled.promise, this.limits.outcomeMs, outcomeUnknown);
  }

  async #conclude(carriedOut: Promise<AcceptedTransferOutcome>): Promise<AcceptedTransferOutcome> {
    let outcome: AcceptedTransferOutcome | undefined;
    try {
      outcome = await carriedOut;
    } catch (error) {
      if (!this.isPending)
        outcome = await this.#settled.promise; // at the same moment
      else if (this.hasCallerLeft) outcome = this.withoutCaller(undefined);
      else if (this.#phase === 'accepted') outcome = { status: 'failed', detail: (error as Error).message };
      else throw error;
    } finally {
      if (this.isPending) this.#phase = 'over';
      this.over(outcome);
    }
    return outcome;
  }

  /** Waits no longer than until the outcome is known. */
  async #unlessSettled(step: Promise<void>): Promise<void> {
    await Promise.race([step, this.#settled.promise]);
  }
}

const answerMissing = () => new VoicebotError('VB_TRANSFER_FAILED', 'the provider has not said whether it takes it');
export const outcomeUnknown = () =>
  new VoicebotError('VB_TRANSFER_FAILED', 'the provider has not said what became of it');
