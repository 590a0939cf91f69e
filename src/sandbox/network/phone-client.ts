import { EventEmitter } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import type { DtmfDigit } from '../../audio/dtmf.js';
import type { PhoneCallEnd, PhoneNotice, PhoneProgress, PhoneRequest } from '../../call/phone-messages.js';
import { VoicebotError } from '../../errors.js';
import { phoneAddress } from './phone-wire.js';

export type { PhoneCallEnd, PhoneProgress } from '../../call/phone-messages.js';

export interface PhoneEvents {
  /** `callId` is the network's identifier. */
  ringing: [callId: string];
  answered: [];
  /** What the network does with the call, hop by hop. */
  progress: [line: PhoneProgress];
  /** The last event of a call. */
  ended: [end: PhoneCallEnd];
  /** The connection to the network is gone; a call in progress has had its `ended` before. */
  closed: [];
}

export interface PhoneClientOptions {
  /** The sandbox's `url`. */
  readonly url: string;
  /** The sandbox's `phoneToken`. */
  readonly token: string;
  /**
   * Called for every 20 ms of a call with what is heard (160 bytes of 8000 Hz mu-law), from ringback on; returns the
   * 160 bytes said meanwhile, which nobody hears before the call is answered.
   */
  readonly exchange: (heard: Uint8Array) => Uint8Array;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A telephone attached to the sandbox. It makes one call at a time. */
export class PhoneClient extends EventEmitter<PhoneEvents> {
  readonly #socket: WebSocket;
  readonly #closed: Promise<void>;
  #isInCall = false;

  /** @throws VoicebotError VB_CREDENTIALS_REFUSED for a wrong token, VB_CARRIER_UNREACHABLE when there is no sandbox */
  static async connect({ url, token, exchange }: PhoneClientOptions): Promise<PhoneClient> {
    const socket = new WebSocket(phoneAddress(url, token), {
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    });
    const phone = new PhoneClient(socket, exchange);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.on('error', (cause) => {
        const isRefused = /Unexpected server response: 403/.test(cause.message);
        const code = isRefused ? 'VB_CREDENTIALS_REFUSED' : 'VB_CARRIER_UNREACHABLE';
        reject(
          new VoicebotError(code, isRefused ? 'the sandbox refused the phone' : `sandbox at ${url}: ${cause.message}`, {
            cause,
          }),
        );
      });
    });
    return phone;
  }

  private constructor(socket: WebSocket, exchange: PhoneClientOptions['exchange']) {
    super();
    this.#socket = socket;
    socket.on('message', (data: RawData, isBinary) => {
      if (isBinary) socket.send(exchange(data as Buffer));
      else this.#noticed(JSON.parse((data as Buffer).toString()) as PhoneNotice);
    });
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        if (this.#isInCall) {
          this.#ended({ callId: '', cause: 'the network is gone', code: 0, source: 'Unknown', durationMs: 0 });
        }
        this.emit('closed');
        resolve();
      });
    });
  }

  /** Starts a call; `ended` follows in any case. @throws VoicebotError VB_STREAM_CLOSED when the network is gone */
  dial({ from, to }: { from: string; to: string }): void {
    this.#request({ type: 'dial', from, to });
    this.#isInCall = true;
  }

  press(digit: DtmfDigit): void {
    this.#request({ type: 'press', digit });
  }

  hangUp(): void {
    this.#request({ type: 'hangup' });
  }

  /** Detaches the phone, which ends its call. */
  close(): Promise<void> {
    this.#socket.close(1000);
    return this.#closed;
  }

  #request(request: PhoneRequest): void {
    if (this.#socket.readyState !== WebSocket.OPEN) throw new VoicebotError('VB_STREAM_CLOSED', 'the sandbox is gone');
    this.#socket.send(JSON.stringify(request));
  }

  #noticed(notice: PhoneNotice): void {
    if (notice.type === 'progress') this.emit('progress', notice.line);
    else if (notice.type === 'ended') this.#ended(notice.end);
    else if (notice.type === 'ringing') this.emit('ringing', notice.callId);
    else this.emit('answered');
  }

  #ended(end: PhoneCallEnd): void {
    this.#isInCall = false;
    this.emit('ended', end);
  }
}
