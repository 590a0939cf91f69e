import type { WebSocket } from 'ws';
import { withDeadline } from '../../async/deadline.js';
import { deferred } from '../../async/deferred.js';
import { isPhoneNumber, normalisePhoneNumber } from '../../call/phone-number.js';
import type { LinkedOutcome, StreamRunnerLink } from '../../call/runner-link.js';
import type { AcceptedTransferOutcome } from '../../call/transfer-outcome.js';
import { VoicebotError } from '../../errors.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import { parseTelephonyWebSocket } from './parse-telephony-websocket.js';

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

const CALLER_LEFT: AcceptedTransferOutcome = { status: 'caller_left' };
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
  #verdict: AcceptedTransferOutcome | undefined;
  readonly #givenUp = deferred<never>();
  #run: Promise<AcceptedTransferOutcome> | undefined;
  #outcome: Promise<LinkedOutcome> | undefined;
  /** Why the stream closed while the carrier was being asked. */
  #closeCode = 1_000;

  /** @param to E.164 */
  constructor(
    private readonly link: StreamRunnerLink,
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
  run(): Promise<AcceptedTransferOutcome> {
    this.#run ??= this.#runOnce();
    return this.#run;
  }

  async #runOnce(): Promise<AcceptedTransferOutcome> {
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
  giveUp(verdict: AcceptedTransferOutcome): void {
    if (!this.isPending) return;
    this.#phase = 'over';
    this.#verdict = verdict;
    this.#givenUp.reject(GIVEN_UP);
  }

  /** The stream has closed; {@link holdsCall} tells whether that is part of the transfer. */
  streamClosed(code: number): void {
    if (this.#phase === 'requested') this.#closeCode = code;
  }

  async #carryOut(): Promise<AcceptedTransferOutcome> {
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
    const { websocket, ...told } = outcome;
    if (websocket) await this.#takeBack(websocket);
    else if (told.status === 'answered') this.#enter('answered');
    return told;
  }

  async #takeBack(websocket: WebSocket): Promise<void> {
    const { serializer } = this.call;
    const introduced = parseTelephonyWebSocket(websocket, { timeoutMs: RETURN_LIMIT_MS });
    const [carrier, { stream_id, call_id }] = await Promise.race([introduced, this.#givenUp.promise]);
    if (carrier !== serializer.carrier.name || call_id !== serializer.callId) {
      throw new VoicebotError('VB_STREAM_UNRECOGNISED', 'the stream that came back is of another call');
    }
    this.#enter('over');
    this.call.resume(websocket, stream_id);
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
  #judge(error: Error): AcceptedTransferOutcome {
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
    const { websocket } = outcome;
    if (!websocket || websocket === this.call.stream.websocket) return;
    websocket.resume(); // a paused socket would not see the answer to our close
    websocket.close(this.#verdict?.status === 'caller_left' ? 1_000 : 1_011); // 1011: another bot may help
  }
}

/**
 * The number a transfer goes to, E.164.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function transferTarget(toEndPoint: string): string {
  const to = normalisePhoneNumber(String(toEndPoint));
  if (!isPhoneNumber(to)) {
    throw new VoicebotError('VB_REQUEST_INVALID', 'toEndPoint must be a telephone number such as +12025550101');
  }
  return to;
}
