import { withDeadline } from '../../async/deadline.js';
import { deferred } from '../../async/deferred.js';
import type { RoomTransferState } from '../../call/runner-link.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData } from '../../call/transfer-outcome.js';
import { VoicebotError } from '../../errors.js';
import { RequestLostError } from '../../rooms/room-refusal.js';
import { legFailure } from './leg-failure.js';
import type { DialoutNews, Leg } from './room-call.js';

/** Longest wait for the provider to take or refuse a transfer, in milliseconds. */
const REQUEST_LIMIT_MS = 15_000;
/** Longest wait for what became of it, in milliseconds: two minutes of ringing. */
const OUTCOME_LIMIT_MS = 120_000;
/** The same when news may be missing: what was told before a bot took over, or while its connection was lost, nobody tells again. */
const RESUMED_LIMIT_MS = 30_000;
/** How long the news that the destination has answered may come after the caller's leg has gone, in milliseconds. */
const ANSWER_GRACE_MS = 1_000;

const CALLER_LEFT: AcceptedTransferOutcome = { status: 'caller_left' };

export interface RoomTransferActions {
  /** Where to, as whoever decides about it writes it. @throws when the caller may not be transferred there */
  allow(): Promise<string>;
  /** Resolves when the caller has heard what was said so far and what is announced. */
  announce(): Promise<void>;
  /** Asks the provider. @throws when it is refused */
  request(toEndPoint: string): Promise<void>;
  /** The provider has taken it, or the destination rings. */
  accepted(state: RoomTransferState): void;
  /** The caller talks to the destination. `wasTold`: the provider has said so. */
  answered(data: DialoutAnsweredData, wasTold: boolean): void;
  /** Whether a leg has nothing to do with the transfer. */
  isOther(sessionId: string): boolean;
}

/** `announcing -> requested -> accepted -> answered`, or from anywhere to `over`. */
type Phase = 'announcing' | 'requested' | 'accepted' | 'answered' | 'over';

/** One attempt to connect the caller with somebody else, outside the room. */
export class RoomTransfer {
  #phase: Phase = 'announcing';
  readonly #outcome = deferred<AcceptedTransferOutcome>();
  #run: Promise<AcceptedTransferOutcome> | undefined;
  #destination: string | undefined;
  #isRinging = false;
  #hasDestinationEnded = false;
  #hasCallerLeft = false;
  #grace: NodeJS.Timeout | undefined;
  #missing: NodeJS.Timeout | undefined;

  /** @param to E.164, or a `sip:` address */
  constructor(
    readonly leg: Leg,
    readonly to: string,
    private readonly actions: RoomTransferActions,
  ) {}

  get isPending(): boolean {
    return this.#phase !== 'answered' && this.#phase !== 'over';
  }

  get isAnswered(): boolean {
    return this.#phase === 'answered';
  }

  /** The destination's leg, as soon as there is news of it. */
  get destination(): string | undefined {
    return this.#destination;
  }

  /** What is told of the destination when it has answered. */
  get answeredData(): DialoutAnsweredData {
    return { toEndPoint: this.to, sessionId: this.#destination };
  }

  /** The destination's leg as long as nobody has answered and it has not ended. */
  get ringingLeg(): string | undefined {
    return this.isAnswered || this.#hasDestinationEnded ? undefined : this.#destination;
  }

  /**
   * Resolves when the outcome is known. Called again, it gives the same.
   * @throws VoicebotError when the provider does not take the transfer; the call is as it was
   */
  run(): Promise<AcceptedTransferOutcome> {
    this.#run ??= this.#runOnce();
    return this.#run;
  }

  async #runOnce(): Promise<AcceptedTransferOutcome> {
    try {
      const target = await this.#unlessOver(this.actions.allow());
      if (this.#phase === 'announcing') await this.#unlessOver(this.actions.announce());
      if (this.#phase === 'announcing' && typeof target === 'string') await this.#ask(target);
      return await withDeadline(this.#outcome.promise, OUTCOME_LIMIT_MS, outcomeUnknown);
    } catch (error) {
      if (this.#phase !== 'accepted' && !this.#hasCallerLeft) throw error;
      return this.#hasCallerLeft ? CALLER_LEFT : { status: 'failed', detail: (error as Error).message };
    } finally {
      this.#stopWaiting();
    }
  }

  /** Goes on with what an earlier bot has asked for. Never rejects. */
  resume({ destination, isRinging }: RoomTransferState): Promise<AcceptedTransferOutcome> {
    this.#phase = 'accepted';
    this.#destination = destination;
    this.#isRinging = isRinging;
    this.#run = withDeadline(this.#outcome.promise, RESUMED_LIMIT_MS, outcomeUnknown)
      .catch((error: Error) => ({ status: 'failed' as const, detail: error.message }))
      .finally(() => this.#stopWaiting());
    return this.#run;
  }

  /** The caller has gone with nobody there to see it: the destination has answered. */
  wasGone(): void {
    if (this.isPending) this.#answer(false);
  }

  /** News of some time are missing. @param isLegThere whether the caller is in the room now */
  missedNews(isLegThere: boolean): void {
    if (this.#phase !== 'requested' && this.#phase !== 'accepted') return;
    const giveUp = () => this.#settle({ status: 'failed', detail: outcomeUnknown().message });
    if (isLegThere) this.#missing ??= setTimeout(giveUp, RESUMED_LIMIT_MS);
    else this.wasGone();
  }

  /**
   * News of a call that goes out of the room.
   * @returns whether it was about the destination
   */
  hear(sessionId: string | undefined, news: DialoutNews): boolean {
    if (!this.#concerns(sessionId, news)) return false;
    if (sessionId !== this.leg.sessionId) this.#destination ??= sessionId;
    if (news.type === 'ringing') this.#rings();
    else if (news.type === 'answered') this.#answer(true);
    else {
      const { type } = news;
      this.#hasDestinationEnded = true;
      const detail = type === 'failed' ? news.errorMsg : 'it rang and nobody answered';
      const status = type === 'failed' ? (legFailure(news.errorMsg) ?? 'failed') : 'no_answer';
      this.#settle({ status, detail });
    }
    return true;
  }

  /**
   * The caller's leg has gone. Unless the destination rings, the provider has taken it away for the transfer, which is
   * how it succeeds (rooms reference 8.2 and 14.13).
   */
  legGone(): void {
    if (!this.isPending || this.#hasCallerLeft) return;
    this.#hasCallerLeft = true;
    if (this.#phase === 'announcing') this.#settle(CALLER_LEFT);
    else if (this.#phase === 'accepted') this.#judgeSoon();
  }

  /** Stops waiting, because the call is being ended or the pipeline is over. */
  giveUp(verdict: AcceptedTransferOutcome): void {
    this.#settle(verdict);
  }

  /** Waits no longer than until the outcome is known. */
  #unlessOver<T>(promise: Promise<T>): Promise<T | AcceptedTransferOutcome> {
    return Promise.race([promise, this.#outcome.promise]);
  }

  async #ask(toEndPoint: string): Promise<void> {
    this.#phase = 'requested';
    const late = () => new VoicebotError('VB_TRANSFER_FAILED', 'the provider has not said whether it takes it');
    await withDeadline(this.#unlessOver(this.#request(toEndPoint)), REQUEST_LIMIT_MS, late);
    if (this.#phase !== 'requested') return;
    this.#phase = 'accepted';
    this.actions.accepted(this.#state);
    if (this.#hasCallerLeft) this.#judgeSoon();
  }

  /** What may have been carried out counts as taken: asking again could ring a second time. */
  async #request(toEndPoint: string): Promise<void> {
    try {
      await this.actions.request(toEndPoint);
    } catch (error) {
      if (!(error instanceof RequestLostError)) throw error;
    }
  }

  #rings(): void {
    this.#isRinging = true;
    if (this.#phase === 'accepted') this.actions.accepted(this.#state);
  }

  get #state(): RoomTransferState {
    const { sessionId, kind } = this.leg;
    return { to: this.to, leg: { sessionId, kind }, destination: this.#destination, isRinging: this.#isRinging };
  }

  #judgeSoon(): void {
    this.#grace = setTimeout(() => {
      if (this.#isRinging) this.#settle(CALLER_LEFT);
      else this.#answer(false);
    }, ANSWER_GRACE_MS);
  }

  #concerns(sessionId: string | undefined, { type }: DialoutNews): boolean {
    if (this.#phase !== 'requested' && this.#phase !== 'accepted') return false;
    if (sessionId === undefined) return true;
    if (sessionId === this.leg.sessionId) {
      return this.leg.kind === 'dial-in' || type === 'ringing' || type === 'answered';
    }
    return sessionId === (this.#destination ?? sessionId) && !this.actions.isOther(sessionId);
  }

  #answer(wasTold: boolean): void {
    this.#settle({ status: 'answered', data: this.answeredData });
    this.actions.answered(this.answeredData, wasTold);
  }

  #stopWaiting(): void {
    if (this.isPending) this.#phase = 'over';
    clearTimeout(this.#grace);
    clearTimeout(this.#missing);
  }

  #settle(outcome: AcceptedTransferOutcome): void {
    if (!this.isPending) return;
    const isLost = this.#hasCallerLeft && outcome.status !== 'answered';
    this.#phase = outcome.status === 'answered' ? 'answered' : 'over';
    this.#outcome.resolve(isLost ? CALLER_LEFT : outcome);
  }
}

const outcomeUnknown = () => new VoicebotError('VB_TRANSFER_FAILED', 'nobody has said what became of it');
