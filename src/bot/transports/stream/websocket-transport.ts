import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { type EventNames, refuseUnknownEvents } from '../../../base/names/event-names.js';
import { refuseUnknownOptions } from '../../../base/names/option-names.js';
import type { BotEndReason } from '../../../call/call.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData, FailedTransfer } from '../../../call/transfer-outcome.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { HoldableWire } from '../holdable-wire.js';
import { mutatedOutcome, mutatedTarget } from '../mutated-transfer.js';
import type { Party } from '../party.js';
import { SpeechOutput } from '../speech-output.js';
import { notedTransfer } from '../transfer-notes.js';
import { announcementOf, type TransferOptions, transferTarget } from '../transfer-options.js';
import { StreamEar } from './stream-ear.js';
import { StreamParty } from './stream-party.js';
import { StreamPort } from './stream-port.js';
import { WebSocketInput } from './websocket-input.js';
import { WEBSOCKET_PARAMS, type WebSocketTransportParams } from './websocket-transport-params.js';

/** Handlers are called with the transport and the event's data. */
export interface WebSocketTransportEvents {
  dtmf: [transport: WebSocketTransport, data: { digit: DtmfDigit }];
  /** The destination of a transfer has answered and talks to the caller. */
  dialout_answered: [transport: WebSocketTransport, data: DialoutAnsweredData];
  /**
   * Told when the pipeline starts: a transfer that an earlier bot of this call had asked for came to nothing, and the
   * caller, who heard it ring, is with this one.
   */
  transfer_failed: [transport: WebSocketTransport, data: FailedTransfer];
  /**
   * The bot has no call any more, whichever side ended it; a transfer that was answered is told by `dialout_answered` only.
   * `code` as in RFC 6455 section 7.4.
   */
  disconnected: [transport: WebSocketTransport, data: { code: number }];
  /** Something that needs attention and did not end the call, such as a hang-up the carrier did not confirm. */
  warning: [transport: WebSocketTransport, data: { error: Error }];
}

const EVENTS: EventNames<WebSocketTransportEvents> = {
  dtmf: true,
  dialout_answered: true,
  transfer_failed: true,
  disconnected: true,
  warning: true,
};

/**
 * Connects a pipeline to a call whose audio the carrier streams over a WebSocket. When the pipeline ends and the
 * serializer has credentials, the call is hung up at the carrier, unless it was transferred.
 */
export class WebSocketTransport extends EventEmitter<WebSocketTransportEvents> {
  readonly #port: StreamPort;
  readonly #input: WebSocketInput;
  readonly #output: SpeechOutput;
  readonly #party: StreamParty;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every parameter that is not known */
  constructor(
    websocket: WebSocket,
    readonly params: WebSocketTransportParams,
  ) {
    super();
    refuseUnknownOptions(params, WEBSOCKET_PARAMS);
    refuseUnknownEvents(this, EVENTS);
    this.#port = new StreamPort(websocket, params.serializer, {
      unheard: () => {
        this.#party.stop();
        this.#output.stop();
      },
      returned: () => this.#input.beginStream(),
      answered: (data) => {
        this.#input.callTransferred();
        this.emit('dialout_answered', this, data);
      },
      ended: (code) => {
        this.emit('disconnected', this, { code });
        this.#input.callEnded();
      },
      warning: (error) => this.#warn(error),
    });
    const { stream } = this.#port;
    const ear = new StreamEar(stream);
    const wire = new HoldableWire(ear);
    this.#party = new StreamParty(ear, wire, () => this.#input, this.#port);
    this.#output = new SpeechOutput(wire, params.audioOutEnabled ?? true, this.#port);
    const listener = {
      onStarted: () => {
        const { failedTransfer } = this.#port;
        if (failedTransfer) this.emit('transfer_failed', this, failedTransfer);
      },
      onMark: (name: string) => {
        ear.markPlayed(name);
        wire.markPlayed(name);
        this.#output.markPlayed(name);
      },
      onDtmf: (digit: DtmfDigit) => this.emit('dtmf', this, { digit }),
    };
    this.#input = new WebSocketInput(stream, params, listener);
  }

  /** The media stream of the call; another one after a transfer that came to nothing. */
  get websocket(): WebSocket {
    return this.#port.stream.websocket;
  }

  /** What the stream carries, in hertz; known before the pipeline starts where `parseTelephonyWebSocket` has read its `start`. @internal */
  get sampleRate(): number {
    return this.#port.stream.wireRate;
  }

  /** Who is at the other end, to be held and joined with others. @internal */
  get party(): Party {
    return this.#party;
  }

  /** The caller's side: the head of the pipeline. */
  input(): FrameProcessor {
    return this.#input;
  }

  /** The caller's ear: owns the clock that plays what the pipeline wants heard. */
  output(): FrameProcessor {
    return this.#output;
  }

  /**
   * Presses keys: they are sent at once, behind the audio that is already on its way. Push an `OutputDtmfFrame` to have
   * them sent when what was said before has been heard. A carrier whose streams carry no keys gets their tones in the
   * audio, always behind what was said before; then this resolves when they have been heard.
   * @param digits 1 to 64 of `0-9 * # A-D`
   * @throws VoicebotError VB_REQUEST_INVALID, VB_STREAM_CLOSED
   */
  sendDtmf(digits: string): Promise<void> {
    return this.#output.press(digits);
  }

  /**
   * Connects the caller with the destination. Announces nothing by itself: what the pipeline has said so far is heard to
   * its end, then the caller hears the destination ring. The pipeline goes on meanwhile, and the caller does not hear it.
   *
   * Resolves when the outcome is known: on `answered` after the event `dialout_answered` (the bot ends its pipeline, and
   * the call is not hung up; 5 s later the pipeline is ended for it), on `busy`, `no_answer`, `rejected` and `failed`
   * with the caller back in the same pipeline, on `caller_left` after the event `disconnected`. A hang-up by the bot
   * while the destination rings ends the call, which counts as `caller_left`. When the caller could not be brought back,
   * the outcome is `failed` and the pipeline ends.
   *
   * @param request `toEndPoint`: the number to dial, E.164
   * @throws VoicebotError VB_REQUEST_INVALID for anything but a number, VB_STREAM_CLOSED, VB_CARRIER_UNSUPPORTED,
   *   VB_TRANSFER_FAILED when one to another number is going on or no runner is there to do it, and whatever the runner or the carrier refuses
   *   it with; the call is as it was
   */
  async sipCallTransfer(request: { toEndPoint: string }): Promise<AcceptedTransferOutcome> {
    refuseUnknownOptions(request, { toEndPoint: true }, 'VB_REQUEST_INVALID');
    return this.transfer(request.toEndPoint);
  }

  /**
   * {@link sipCallTransfer} with an announcement: it is said behind what the pipeline has said so far, heard to its end,
   * and not said at all when the transfer is refused at once. While the caller is being transferred to the same number
   * already, nothing is said or dialled again: it resolves as the first one does.
   * @param to the number to dial, E.164
   * @throws VoicebotError as {@link sipCallTransfer}
   */
  async transfer(to: string, options: TransferOptions = {}): Promise<AcceptedTransferOutcome> {
    const { timeline } = this.#port.stream;
    const destination = mutatedTarget(transferTarget(to), timeline);
    const announcement = announcementOf(options);
    const announce = () => this.#output.announce(announcement);
    const transfer = mutatedOutcome(announce, timeline) ?? this.#port.transfer(destination, announce);
    return notedTransfer(timeline, destination, transfer);
  }

  /**
   * Closes the stream and, with credentials, ends the call at the carrier. Does nothing when the call is no longer ours:
   * when it is over, when the carrier is asking for its next document, and when the destination of a transfer has answered.
   * @param reason what the call's record says
   */
  hangUp(reason?: BotEndReason): Promise<void> {
    return this.#port.hangUp(reason);
  }

  #warn(error: Error): void {
    if (!this.emit('warning', this, { error })) console.error('transport: hang-up was not confirmed:', error.message);
  }
}
