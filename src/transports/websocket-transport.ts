import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { settlesWithin } from '../async/deadline.js';
import type { DtmfDigit } from '../audio/dtmf-digit.js';
import type { CarrierCredentials } from '../carriers/contract.js';
import type { FrameProcessor } from '../pipeline/index.js';
import { WebSocketInput } from './websocket-input.js';
import { WebSocketOutput } from './websocket-output.js';
import type { WebSocketTransportParams } from './websocket-transport-params.js';

/** Handlers are called with the transport and the event's data. */
export interface WebSocketTransportEvents {
  dtmf: [transport: WebSocketTransport, data: { digit: DtmfDigit }];
  /** The stream is over, whoever ended it. `code` as in RFC 6455 section 7.4. */
  disconnected: [transport: WebSocketTransport, data: { code: number }];
  /** Something that needs attention and did not end the call, such as a hang-up the carrier did not confirm. */
  warning: [transport: WebSocketTransport, data: { error: Error }];
}

/** How long the stream stays open for a carrier that is slow to end the call, in milliseconds. */
const SLOW_CARRIER_MS = 1_500;
/** Longest wait for the carrier to confirm a hang-up before the pipeline ends without it, in milliseconds. */
const HANG_UP_LIMIT_MS = 8_000;

/**
 * Connects a pipeline to a call whose audio the carrier streams over a WebSocket. When the pipeline ends and the
 * serializer has credentials, the call is hung up at the carrier.
 */
export class WebSocketTransport extends EventEmitter<WebSocketTransportEvents> {
  readonly #input: WebSocketInput;
  readonly #output: WebSocketOutput;
  #hangUp: Promise<void> | undefined;

  constructor(
    readonly websocket: WebSocket,
    readonly params: WebSocketTransportParams,
  ) {
    super();
    this.#output = new WebSocketOutput(websocket, params, () => this.hangUp());
    this.#input = new WebSocketInput(websocket, params, {
      onMark: (name) => this.#output.markPlayed(name),
      onDtmf: (digit) => this.emit('dtmf', this, { digit }),
    });
    websocket.once('close', (code) => {
      this.#output.stop();
      this.emit('disconnected', this, { code });
    });
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
   * Closes the stream and, with credentials, ends the call at the carrier. Does nothing when the stream is already
   * gone: then the call is over, or the carrier is asking for its next document.
   */
  hangUp(): Promise<void> {
    this.#hangUp ??= this.#endCall();
    return this.#hangUp;
  }

  /**
   * The carrier is asked first: a stream that just closed would send it on to the next document of the call. The
   * caller does not wait for a slow carrier, though, and hears the stream close.
   */
  async #endCall(): Promise<void> {
    if (this.websocket.readyState !== this.websocket.OPEN) return;
    const { credentials } = this.params.serializer;
    const ended = credentials ? this.#endAtCarrier(credentials) : Promise.resolve();
    await settlesWithin(ended, SLOW_CARRIER_MS);
    this.websocket.close(1000);
    await settlesWithin(ended, HANG_UP_LIMIT_MS);
  }

  async #endAtCarrier(credentials: CarrierCredentials): Promise<void> {
    const { carrier, callId } = this.params.serializer;
    try {
      const client = await carrier.createRestClient(credentials);
      await client.hangUp(callId).finally(() => client.close());
    } catch (error) {
      this.#warn(error as Error);
    }
  }

  #warn(error: Error): void {
    if (!this.emit('warning', this, { error })) console.error('transport: hang-up was not confirmed:', error.message);
  }
}
