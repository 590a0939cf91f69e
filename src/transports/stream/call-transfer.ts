import type { WebSocket } from 'ws';
import { withDeadline } from '../../async/deadline.js';
import { deferred } from '../../async/deferred.js';
import type { CallLink, LinkedOutcome, TransferFailure } from '../../call/call-link.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { VoicebotError } from '../../errors.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import { parseTelephonyWebSocket } from './parse-telephony-websocket.js';

/** Who has answered a call that goes out, or the destination of a transfer: the same with a carrier and in a room. */
export interface DialoutAnsweredData {
  /** The number, E.164, or the `sip:` address that was dialled; empty when somebody else than the bot has dialled it. */
  readonly toEndPoint: string;
  /** The leg that was answered, by the room's or the carrier's name for it; undefined where the provider does not give it. */
  readonly sessionId: string | undefined;
}

/** What became of a transfer. */
export type TransferOutcome =
  /** The caller talks to the destination; the bot has nothing more to do. */
  | { status: 'answered'; data: DialoutAnsweredData }
  /** The destination was not reached. `detail` is for logs. */
  | { status: TransferFailure; detail: string }
  /** The call ended first, whoever ended it. */
  | { status: 'caller_left' };

/** The call as its transfer needs it. */
export interface TransferringCall {
  readonly stream: CurrentStream;
  readonly serializer: CarrierFrameSerializer;
  /** Resolves when the caller has heard what was said so far, or can hear nothing any more. */
  spoken(): Promise<void>;
  /** Drops what has not been said and closes the stream. */
  leave(): void;
  /** Goes on with another stream of the same call. */
  resume(websocket: WebSocket, streamId: string): void;
  /** The pipeline has no call any more. */
  over(code: number): void;
}

/** Longest wait for the carrier to take or refuse a transfer, in milliseconds. */
const REQUEST_LIMIT_MS = 30_000;
/** Longest wait for what became of it, in milliseconds: two minutes of ringing, and time for the carrier to say so. */
const OUTCOME_LIMIT_MS = 150_000;
/** Longest wait for the returned caller's stream to introduce itself, in milliseconds. */
const RETURN_LIMIT_MS = 10_000;

const CALLER_LEFT: TransferOutcome = { status: 'caller_left' };
const GIVEN_UP = new Error('the transfer was given up');

/**
 * `announcing -> requested -> accepted -> answered`, or from anywhere to `over`. The stream is closed on the way from
 * `requested` to `accepted`: transfer first, then close (reference 1.3).
 */
type Phase = 'announcing' | 'requested' | 'accepted' | 'answered' | 'over';

/** One attempt to connect the caller with somebody else. */
export class CallTransfer {
  #phase: Phase = 'announcing';
  /** What is reported when the transfer was given up. */
  #verdict: TransferOutcome | undefined;
  readonly #givenUp = deferred<never>();
  #run: Promise<TransferOutcome> | undefined;
  #outcome: Promise<LinkedOutcome> | undefined;
  /** Why the stream closed while the carrier was being asked. */
  #closeCode = 1_000;

  /** @param to E.164 */
  constructor(
    private readonly link: CallLink,
    readonly to: string,
    private readonly call: TransferringCall,
  ) {}

  get isPending(): boolean {
    return this.#phase === 'announcing' || this.#phase === 'requested' || this.#phase === 'accepted';
  }

  get isAnswered(): boolean {
    return this.#phase === 'answered';
  }

  /** Whether the end of the stream is part of the transfer, and the call still the bot's. */
  get holdsCall(): boolean {
    return this.#phase === 'requested' || this.#phase === 'accepted';
  }

  /**
   * Resolves when the outcome is known and, where the caller is back, the new stream is in use. Called again, it gives the
   * same.
   * @throws VoicebotError when the carrier does not take the transfer; the call is as it was
   */
  run(): Promise<TransferOutcome> {
    this.#run ??= this.#runOnce();
    return this.#run;
  }

  async #runOnce(): Promise<TransferOutcome> {
    try {
      return await this.#carryOut();
    } catch (error) {
      return this.#judge(error as Error);
    } finally {
      if (!this.isAnswered) this.#phase = 'over';
      void this.#outcome?.then((outcome) => this.#giveBack(outcome)).catch(() => {});
      if (!this.isAnswered && !this.call.stream.isOpen) this.call.over(this.#closeCode);
    }
  }

  /** Stops waiting, because the call is being ended or the pipeline is over. */
  giveUp(verdict: TransferOutcome): void {
    if (!this.isPending) return;
    this.#phase = 'over';
    this.#verdict = verdict;
    this.#givenUp.reject(GIVEN_UP);
  }

  /** The stream has closed; {@link holdsCall} tells whether that is part of the transfer. */
  streamClosed(code: number): void {
    if (this.#phase === 'requested') this.#closeCode = code;
  }

  async #carryOut(): Promise<TransferOutcome> {
    await Promise.race([this.call.spoken(), this.#givenUp.promise]);
    if (!this.call.stream.isOpen) return CALLER_LEFT;
    this.#enter('requested');
    const accepted = this.link.transfer(this.to);
    this.#outcome = accepted.then(({ outcome }) => outcome);
    this.#outcome.catch(() => {}); // whoever waits for it hears of it
    await this.#within(REQUEST_LIMIT_MS, accepted, 'the carrier has not said whether it takes it');
    this.#enter('accepted');
    this.call.leave();
    const outcome = await this.#within(OUTCOME_LIMIT_MS, this.#outcome, 'nobody has said what became of it');
    if (outcome.status === 'caller_left') return CALLER_LEFT;
    if (outcome.status !== 'answered') return this.#takeBack(outcome);
    this.#enter('answered');
    return { status: 'answered', data: { toEndPoint: outcome.to, sessionId: outcome.legId } };
  }

  async #takeBack({
    status,
    detail,
    websocket,
  }: Extract<LinkedOutcome, { status: TransferFailure }>): Promise<TransferOutcome> {
    const { serializer } = this.call;
    const introduced = parseTelephonyWebSocket(websocket, { timeoutMs: RETURN_LIMIT_MS });
    const [carrier, { stream_id, call_id }] = await Promise.race([introduced, this.#givenUp.promise]);
    if (carrier !== serializer.carrier.name || call_id !== serializer.callId) {
      throw new VoicebotError('VB_STREAM_UNRECOGNISED', 'the stream that came back is of another call');
    }
    this.#enter('over');
    this.call.resume(websocket, stream_id);
    return { status, detail };
  }

  #enter(phase: Phase): void {
    if (this.#verdict) throw GIVEN_UP;
    this.#phase = phase;
  }

  #within<T>(limitMs: number, promise: Promise<T>, late: string): Promise<T> {
    const settled = Promise.race([promise, this.#givenUp.promise]);
    return withDeadline(settled, limitMs, () => new VoicebotError('VB_TRANSFER_FAILED', late));
  }

  /** @throws `error` when nothing has changed for the call */
  #judge(error: Error): TransferOutcome {
    if (this.#verdict) return this.#verdict;
    if (this.#phase !== 'accepted') {
      if (this.call.stream.isOpen) throw error;
      return CALLER_LEFT;
    }
    const isGone = error instanceof VoicebotError && error.code === 'VB_STREAM_CLOSED';
    return isGone ? CALLER_LEFT : { status: 'failed', detail: error.message };
  }

  /** Closes a stream that came back and that nobody uses, so that the carrier goes on with the call. */
  #giveBack(outcome: LinkedOutcome): void {
    if (!('websocket' in outcome) || outcome.websocket === this.call.stream.websocket) return;
    outcome.websocket.resume(); // a paused socket would not see the answer to our close
    outcome.websocket.close(this.#verdict?.status === 'caller_left' ? 1_000 : 1_011); // 1011: another bot may help
  }
}

/**
 * The number a transfer goes to, E.164.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function transferTarget(toEndPoint: string): string {
  const to = normalisePhoneNumber(String(toEndPoint));
  if (!/^\+[1-9]\d{6,14}$/.test(to)) {
    throw new VoicebotError('VB_REQUEST_INVALID', 'toEndPoint must be a telephone number such as +12025550101');
  }
  return to;
}
