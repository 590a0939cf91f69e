import type { WebSocket } from 'ws';
import { VoicebotError } from '../../../base/errors.js';
import type { LinkedOutcome, StreamRunnerLink } from '../../../call/runner-link.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData } from '../../../call/transfer-outcome.js';
import { CALLER_LEFT, Transfer } from '../transfer.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import { parseTelephonyWebSocket } from './parse-telephony-websocket.js';

/** The outcome: two minutes of ringing, and time for the carrier to tell of them. */
const LIMITS = { requestMs: 30_000, outcomeMs: 150_000 };
/** Longest wait for the returned caller's stream to introduce itself, in milliseconds. */
const RETURN_LIMIT_MS = 10_000;

/** The call as its transfer needs it. */
export interface TransferringCall {
  readonly link: StreamRunnerLink;
  readonly stream: CurrentStream;
  readonly serializer: CarrierFrameSerializer;
  /** Drops what has not been said and closes the stream. */
  leave(): void;
  /** Goes on with another stream of the same call. */
  resume(websocket: WebSocket, streamId: string): void;
  answered(data: DialoutAnsweredData): void;
  /** The transfer came to nothing, and there is no stream. */
  over(): void;
}

/**
 * A transfer that the runner asks the carrier for. The stream is closed when the carrier has accepted it: transfer first, then close
 * (carrier reference 1.3). A caller who was not put through comes back on another stream.
 */
export class StreamTransfer extends Transfer {
  #outcome: Promise<LinkedOutcome> | undefined;

  /** @param to E.164 */
  constructor(
    to: string,
    private readonly call: TransferringCall,
  ) {
    super(to, LIMITS);
  }

  /** Once the carrier has accepted, the end of the stream is part of the transfer. */
  protected override get hasCallerLeft(): boolean {
    return (this.phase === 'announcing' || this.phase === 'requested') && !this.call.stream.isOpen();
  }

  protected override async request(): Promise<void> {
    const { link, stream } = this.call;
    if (!stream.isOpen()) throw new VoicebotError('VB_STREAM_CLOSED', 'no caller is there to be transferred');
    const accepted = link.transfer(this.to);
    this.#outcome = accepted.then(({ outcome }) => outcome);
    this.#outcome.catch(() => {}); // the methods that wait for it hear of it
    await accepted;
  }

  protected override accepted(): void {
    this.call.leave();
    void this.#follow();
  }

  protected override over(outcome: AcceptedTransferOutcome | undefined): void {
    void this.#outcome?.then((late) => this.#giveBack(late, outcome)).catch(() => {});
    if (outcome?.status === 'answered') this.call.answered(outcome.data);
    else if (!this.call.stream.isOpen()) this.call.over();
  }

  async #follow(): Promise<void> {
    try {
      const { websocket, ...outcome } = (await this.#outcome) as LinkedOutcome;
      const streamId = websocket && (await this.#introduced(websocket));
      if (!this.isPending) return; // given up meanwhile
      this.settle(outcome);
      if (streamId !== undefined) this.call.resume(websocket as WebSocket, streamId);
    } catch (error) {
      const { code, message } = error as VoicebotError;
      this.settle(code === 'VB_STREAM_CLOSED' ? CALLER_LEFT : { status: 'failed', detail: message });
    }
  }

  /** @returns the identifier of a stream on which the caller is back */
  async #introduced(websocket: WebSocket): Promise<string> {
    const { serializer } = this.call;
    const [carrier, call] = await parseTelephonyWebSocket(websocket, { timeoutMs: RETURN_LIMIT_MS });
    if (carrier !== serializer.carrier.name || call.call_id !== serializer.callId) {
      throw new VoicebotError('VB_STREAM_UNRECOGNISED', 'the stream that came back is of another call');
    }
    return call.stream_id;
  }

  /** Closes a stream that came back and that the bot does not use, so that the carrier goes on with the call. */
  #giveBack({ websocket }: LinkedOutcome, outcome: AcceptedTransferOutcome | undefined): void {
    if (!websocket || websocket === this.call.stream.websocket) return;
    websocket.resume(); // a paused socket would not see the answer to our close
    websocket.close(outcome?.status === 'caller_left' ? 1_000 : 1_011); // 1011: another bot may help
  }
}
