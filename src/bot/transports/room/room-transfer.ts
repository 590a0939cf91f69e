import type { EndReason } from '../../../call/call.js';
import type { RoomTransferState } from '../../../call/runner-link.js';
import type {
  AcceptedTransferOutcome,
  DialoutAnsweredData,
  LeftTransferOutcome,
} from '../../../call/transfer-outcome.js';
import { RequestLostError } from '../../../providers/rooms/room-refusal.js';
import { CALLER_LEFT, outcomeUnknown, Transfer } from '../transfer.js';
import { legFailure } from './leg-failure.js';
import type { DialoutNews, Leg, RoomCall } from './room-call.js';

/** The outcome: two minutes of ringing. */
const LIMITS = { requestMs: 15_000, outcomeMs: 120_000 };
/** The same when events may be missing: those from before a bot took over, or while its connection was lost, do not come again. */
const RESUMED_LIMIT_MS = 30_000;
/** How long a caller who is still in the room waits for the first event of the destination, in milliseconds: they may hear nothing. */
const FIRST_EVENT_LIMIT_MS = 10_000;

/** Why a call is over whose caller left before the destination answered. */
export function endOfLeftTransfer({ destination }: LeftTransferOutcome): EndReason {
  if (destination === undefined) return 'caller_hung_up';
  return destination === 'unknown' ? 'transfer_unknown' : 'transfer_failed';
}

export interface RoomTransferActions {
  /** Where to, as the runner writes it. @throws when the caller may not be transferred there */
  checkTarget(to: string): Promise<string>;
  /** Asks the provider. @throws when it is refused */
  request(toEndPoint: string): Promise<void>;
  /** Whether the caller is among the participants of the room, as far as the bot is told of them. */
  isLegThere(): boolean;
  /** The provider has taken it, or the destination rings. */
  accepted(state: RoomTransferState): void;
  /** The caller talks to the destination. */
  answered(data: DialoutAnsweredData): void;
  /** @param outcome undefined when it was refused */
  over(outcome: AcceptedTransferOutcome | undefined): void;
}

/**
 * A transfer that the provider carries out of the room. Once the provider has accepted it, the caller's leg leaves the room, at once or when
 * the destination answers: that the leg goes says nothing. The events of the destination's leg tell what becomes of it, or time does.
 * @see rooms reference 8.2 and 14.13
 */
export class RoomTransfer extends Transfer {
  #target = '';
  #destination: string | undefined;
  #isRinging = false;
  #hasDestinationEnded = false;
  #hasCallerLeft = false;
  /** A caller whose coming was never told is among no participants. */
  readonly #wasLegThere: boolean;
  #firstEvent: NodeJS.Timeout | undefined;
  #missing: NodeJS.Timeout | undefined;

  /** @param leg the caller's, of `call`. @param to E.164, or a `sip:` address */
  constructor(
    readonly leg: Leg,
    to: string,
    private readonly call: RoomCall,
    private readonly actions: RoomTransferActions,
  ) {
    super(to, LIMITS);
    this.#wasLegThere = actions.isLegThere();
  }

  /** The destination's leg as long as it rings; undefined where the caller has left with the transfer and it is not known whether it does. */
  get ringingLeg(): string | undefined {
    if (this.isAnswered || this.#hasDestinationEnded || (this.#hasCallerLeft && !this.isUnderWay)) return undefined;
    return this.#destination;
  }

  /** Goes on with what an earlier bot has asked for. @param isLegThere whether the caller is in the room */
  goOn({ destination, isRinging }: RoomTransferState, isLegThere: boolean): void {
    this.#destination = destination;
    this.#isRinging = isRinging;
    this.#hasCallerLeft = !isLegThere;
    void this.resume(RESUMED_LIMIT_MS);
    if (!isRinging) this.#limitFirstEvent();
  }

  /** Events of some time are missing. @param isLegThere whether the caller is in the room now */
  missedNews(isLegThere: boolean): void {
    if (!this.isUnderWay) return;
    this.#hasCallerLeft ||= !isLegThere;
    this.#missing ??= setTimeout(() => this.#giveUp(), RESUMED_LIMIT_MS);
  }

  /**
   * An event of a call that goes out of the room.
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
      if (this.phase === 'requested') this.actions.accepted(this.#state); // its answer comes later than this event
      const detail = type === 'failed' ? news.errorMsg : 'it rang and was not answered';
      const status = type === 'failed' ? (legFailure(news.errorMsg) ?? 'failed') : 'no_answer';
      this.settle({ status, detail });
    }
    return true;
  }

  /** The caller's leg has gone: by a hang-up before the transfer was asked for, otherwise probably by the transfer. */
  legGone(): void {
    if (!this.isPending) return;
    this.#hasCallerLeft = true;
    if (this.phase === 'announcing') this.settle(CALLER_LEFT);
  }

  protected override get hasCallerLeft(): boolean {
    return this.#hasCallerLeft || (this.#wasLegThere && !this.actions.isLegThere());
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
    if (!this.#isRinging) this.#limitFirstEvent();
  }

  protected override withoutCaller(outcome: AcceptedTransferOutcome | undefined): AcceptedTransferOutcome {
    const isKnown = outcome && 'detail' in outcome && this.#hasDestinationEnded;
    if (isKnown) return { status: 'caller_left', destination: outcome.status };
    return this.phase === 'accepted' ? { status: 'caller_left', destination: 'unknown' } : CALLER_LEFT;
  }

  protected override answered(data: DialoutAnsweredData): void {
    this.actions.answered(data);
  }

  protected override over(outcome: AcceptedTransferOutcome | undefined): void {
    clearTimeout(this.#firstEvent);
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

  /** A caller whom the provider has not taken away yet, and for whom nothing rings, is not left waiting. */
  #limitFirstEvent(): void {
    this.#firstEvent = setTimeout(() => {
      if (!this.#isRinging && !this.#hasCallerLeft) this.#giveUp();
    }, FIRST_EVENT_LIMIT_MS);
  }

  #giveUp(): void {
    this.settle({ status: 'failed', detail: outcomeUnknown().message });
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
