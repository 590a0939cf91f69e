import type { WebSocket } from 'ws';
import { settlesWithin } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { BotEndReason } from '../../../call/call.js';
import type { CallPort } from '../../../call/call-port.js';
import { runnerLinkOf } from '../../../call/runner-link.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData, FailedTransfer } from '../../../call/transfer-outcome.js';
import type { CarrierCredentials } from '../../../providers/carrier.js';
import { CALLER_LEFT } from '../transfer.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import { CurrentStream } from './current-stream.js';
import { StreamTransfer } from './stream-transfer.js';

/** How long the stream stays open for a carrier that is slow to end the call, in milliseconds. */
const SLOW_CARRIER_MS = 1_500;
/** Longest wait for the carrier to confirm a hang-up before the pipeline ends without it, in milliseconds. */
const HANG_UP_LIMIT_MS = 8_000;

export interface StreamPortEvents {
  /** Nothing that was said and not heard will be heard. */
  unheard(): void;
  /** The caller is back from a transfer, on another stream. */
  returned(): void;
  /** The destination of a transfer talks to the caller. */
  answered(data: DialoutAnsweredData): void;
  /** The bot has no call any more; `code` as in RFC 6455 section 7.4. Told once. */
  ended(code: number): void;
  /** The carrier did not confirm the hang-up. */
  warning(error: Error): void;
}

/** The call of a media stream: the runner transfers, and the carrier's API hangs up. */
export class StreamPort implements CallPort {
  readonly stream: CurrentStream;
  #transfer: StreamTransfer | undefined;
  /** Why the stream closed while the carrier was being asked for a transfer. */
  #closeCode = 1_000;
  #hangUp: Promise<void> | undefined;
  #isOver = false;

  constructor(
    websocket: WebSocket,
    private readonly serializer: CarrierFrameSerializer,
    private readonly events: StreamPortEvents,
  ) {
    this.stream = new CurrentStream(websocket, serializer, (code) => this.#onClosed(code));
  }

  /** Why the caller is with this bot; undefined when no earlier bot had the call transferred. */
  get failedTransfer(): FailedTransfer | undefined {
    return runnerLinkOf(this.stream)?.failedTransfer;
  }

  async transfer(to: string, announce: () => Promise<void>): Promise<AcceptedTransferOutcome> {
    if (this.#transfer?.isJoinedBy(to)) return this.#transfer.run();
    if (!this.stream.isOpen()) throw new VoicebotError('VB_STREAM_CLOSED', 'no caller is there to be transferred');
    const { carrier } = this.serializer;
    if (!carrier.capabilities.transfersCalls) {
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `${carrier.name} cannot transfer a call`);
    }
    const link = runnerLinkOf(this.stream);
    if (!link) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner has let this stream in', {
        hint: 'the carrier must fetch a document for it: serve the bot with `voicebot run`',
      });
    }
    this.#closeCode = 1_000;
    this.#transfer = new StreamTransfer(to, {
      link,
      stream: this.stream,
      serializer: this.serializer,
      leave: () => {
        this.stream.close(1000);
        this.events.unheard();
      },
      resume: (websocket, streamId) => {
        this.serializer.beginStream(streamId);
        this.events.returned();
        this.stream.replace(websocket);
      },
      answered: (data) => this.events.answered(data),
      over: () => this.#end(this.#closeCode),
    });
    return this.#transfer.run(announce);
  }

  /**
   * Closes the stream and, with credentials, ends the call at the carrier. Does nothing when the call is no longer ours: when it is
   * over, when the carrier is asking for its next document, and when the destination of a transfer has answered.
   */
  hangUp(reason?: BotEndReason): Promise<void> {
    this.#hangUp ??= this.#endCall(reason);
    return this.#hangUp;
  }

  released(): void {
    this.#transfer?.settle({ status: 'failed', detail: 'the pipeline has ended' });
  }

  /**
   * Loads what asks the carrier to hang up. Loaded with the first hang-up it would hold up the process, and with it the sound of those who are
   * joined, for some hundreds of milliseconds. Never rejects.
   */
  async prepareHangUp(): Promise<void> {
    const { carrier, credentials } = this.serializer;
    const client = credentials && (await carrier.createRestClient(credentials).catch(() => undefined)); // the hang-up tells why
    await client?.close();
  }

  /**
   * The carrier is asked first: a stream that just closed would send it on to the next document of the call. The caller does not wait
   * for a slow carrier, though, and hears the stream close.
   */
  async #endCall(reason: BotEndReason | undefined): Promise<void> {
    const isOurs = this.stream.isOpen() || this.#transfer?.isUnderWay;
    this.#transfer?.settle(CALLER_LEFT);
    if (!isOurs) return;
    const link = runnerLinkOf(this.stream);
    if (reason) link?.endsFor(reason);
    const credentials = this.serializer.credentials && (link?.account ?? this.serializer.credentials);
    const ended = credentials && this.#endAtCarrier(credentials).catch((error) => this.events.warning(error));
    await settlesWithin(Promise.resolve(ended), SLOW_CARRIER_MS);
    this.stream.close(1000);
    await settlesWithin(Promise.resolve(ended), HANG_UP_LIMIT_MS);
  }

  async #endAtCarrier(credentials: CarrierCredentials): Promise<void> {
    const { carrier, callId } = this.serializer;
    const client = await carrier.createRestClient(credentials);
    await client.hangUp(callId).finally(() => client.close());
  }

  #onClosed(code: number): void {
    this.events.unheard();
    if (this.#transfer?.phase === 'requested') this.#closeCode = code;
    if (!this.#transfer?.isUnderWay && !this.#transfer?.isAnswered) this.#end(code);
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events.ended(code);
  }
}
