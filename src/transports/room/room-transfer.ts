import type { RoomTransferState } from '../../call/runner-link.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData } from '../../call/transfer-outcome.js';
import { RequestLostError } from '../../rooms/room-refusal.js';
import { CALLER_LEFT, outcomeUnknown, Transfer } from '../transfer.js';
import { legFailure } from './leg-failure.js';
import type { DialoutNews, Leg, RoomCall } from './room-call.js';

/** The outcome: two minutes of ringing. */
const LIMITS = { requestMs: 15_000, outcomeMs: 120_000 };
/** The same when news may be missing: what was told before a bot took over, or while its connection was lost, nobody tells again. */
const RESUMED_LIMIT_MS = 30_000;
/** How long the news that the destination has answered may come after the caller's leg has gone, in milliseconds. */
const ANSWER_GRACE_MS = 1_000;

export interface RoomTransferActions {
  /** Where to, as whoever decides about it writes it. @throws when the caller may not be transferred there */
  checkTarget(to: string): Promise<string>;
  /** Asks the provider. @throws when it is refused */
  request(toEndPoint: string): Promise<void>;
  /** The provider has taken it, or the destination rings. */
  accepted(state: RoomTransferState): void;
  /** The caller talks to the destination. */
  answered(data: DialoutAnsweredData): void;
  /** @param outcome undefined when it was refused */
  over(outcome: AcceptedTransferOutcome | undefined): void;
}

/**
 * A transfer that the provider carries out of the room: the caller's leg leaves when the destination answers. What becomes of it is
 * learned from the news of legs.
 */
export class RoomTransfer extends Transfer {
  #target = '';
  #destination: string | undefined;
  #isRinging = false;
  #hasDestinationEnded = false;
  #hasCallerLeft = false;
  #grace: NodeJS.Timeout | undefined;
  #missing: NodeJS.Timeout | undefined;

  /** @param leg the caller's, of `call`. @param to E.164, or a `sip:` address */
  constructor(
    readonly leg: Leg,
    to: string,
    private readonly call: RoomCall,
    private readonly actions: RoomTransferActions,
  ) {
    super(to, LIMITS);
  }

  /** The destination's leg as long as nobody has answered and it has not ended. */
  get ringingLeg(): string | undefined {
    return this.isAnswered || this.#hasDestinationEnded ? undefined : this.#destination;
  }

  /** Goes on with what an earlier bot has asked for. @param isLegThere whether the caller is in the room */
  goOn({ destination, isRinging }: RoomTransferState, isLegThere: boolean): void {
    this.#destination = destination;
    this.#isRinging = isRinging;
    void this.resume(RESUMED_LIMIT_MS);
    if (!isLegThere) this.#answer();
  }

  /** News of some time are missing. @param isLegThere whether the caller is in the room now: who is not talks to the destination */
  missedNews(isLegThere: boolean): void {
    if (!this.isUnderWay) return;
    const giveUp = () => this.settle({ status: 'failed', detail: outcomeUnknown().message });
    if (isLegThere) this.#missing ??= setTimeout(giveUp, RESUMED_LIMIT_MS);
    else this.#answer();
  }

  /**
   * News of a call that goes out of the room.
   * @returns whether it was about the destination
   */
  hear(sessionId: string | undefined, news: DialoutNews): boolean {
    if (!this.#concerns(sessionId, news)) return false;
    if (sessionId !== this.leg.sessionId) this.#destination ??= sessionId;
    if (news.type === 'ringing') this.#rings();
    else if (news.type === 'answered') this.#answer();
    else {
      const { type } = news;
      this.#hasDestinationEnded = true;
      if (this.phase === 'requested') this.actions.accepted(this.#state); // its answer comes later than this news
      const detail = type === 'failed' ? news.errorMsg : 'it rang and nobody answered';
      const status = type === 'failed' ? (legFailure(news.errorMsg) ?? 'failed') : 'no_answer';
      this.settle({ status, detail });
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
    if (this.phase === 'announcing') this.settle(CALLER_LEFT);
    else if (this.phase === 'accepted') this.#judgeSoon();
  }

  protected override get hasCallerLeft(): boolean {
    return this.#hasCallerLeft;
  }

  protected override async allow(): Promise<void> {
    this.#target = await this.actions.checkTarget(this.to);
  }

  /** What may have been carried out counts as accepted: asking again could ring a second time. */
  protected override async request(): Promise<void> {
    try {
      await this.actions.request(this.#target);
    } catch (error) {
      if (!(error instanceof RequestLostError)) throw error;
    }
  }

  protected override accepted(): void {
    this.actions.accepted(this.#state);
    if (this.#hasCallerLeft) this.#judgeSoon();
  }

  protected override answered(data: DialoutAnsweredData): void {
    this.actions.answered(data);
  }

  protected override over(outcome: AcceptedTransferOutcome | undefined): void {
    clearTimeout(this.#grace);
    clearTimeout(this.#missing);
    if (outcome && this.#destination !== undefined) this.call.discard(this.#destination);
    this.actions.over(outcome);
  }

  #rings(): void {
    this.#isRinging = true;
    if (this.phase === 'accepted') this.actions.accepted(this.#state);
  }

  get #state(): RoomTransferState {
    const { sessionId, kind } = this.leg;
    return { to: this.to, leg: { sessionId, kind }, destination: this.#destination, isRinging: this.#isRinging };
  }

  #judgeSoon(): void {
    this.#grace = setTimeout(() => {
      if (this.#isRinging) this.settle(CALLER_LEFT);
      else this.#answer();
    }, ANSWER_GRACE_MS);
  }

  #concerns(sessionId: string | undefined, { type }: DialoutNews): boolean {
    if (!this.isUnderWay) return false;
    if (sessionId === undefined) return true;
    if (sessionId === this.leg.sessionId) {
      return this.leg.kind === 'dial-in' || type === 'ringing' || type === 'answered';
    }
    return sessionId === (this.#destination ?? sessionId) && !this.call.knows(sessionId);
  }

  #answer(): void {
    this.settle({ status: 'answered', data: { toEndPoint: this.to, sessionId: this.#destination } });
  }
}
