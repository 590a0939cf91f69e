import { EventEmitter } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import type { DtmfDigit } from '../../base/audio/dtmf.js';
import { VoicebotError } from '../../base/errors.js';
import {
  MAX_PHONE_WORDS,
  type PhoneAttendance,
  type PhoneCallEnd,
  type PhoneNotice,
  type PhoneProgress,
  type PhoneRequest,
} from '../../call/phone-messages.js';
import { HeldReplies } from './held-replies.js';
import { phoneAddress } from './phone-wire.js';

export interface PhoneEvents {
  /** The next call to the number that {@link PhoneClient.attend} names rings this phone. */
  attending: [];
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
   * Called for every 20 ms of a call with what is heard (160 bytes of 8000 Hz mu-law), from ringback on, or from the answer
   * on when the phone is called; returns the 160 bytes said meanwhile, which the bot does not hear before the call is answered.
   */
  readonly exchange: (heard: Uint8Array) => Uint8Array;
  /**
   * For a bad line: called before every reply, returns by how many milliseconds of call time it is late, 0 or more, in whole
   * frames of 20 ms. Replies keep their order, so one that is very late holds up those behind it. The network waits 200 ms,
   * plays silence in place of what comes later, and hangs up on a phone that owes it 5 seconds. Default: none is late.
   */
  readonly holdMs?: () => number;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A telephone attached to the sandbox. It makes or takes one call at a time. */
export class PhoneClient extends EventEmitter<PhoneEvents> {
  readonly #socket: WebSocket;
  readonly #closed: Promise<void>;
  readonly #replies: HeldReplies;
  #isInCall = false;

  /** @throws VoicebotError VB_CREDENTIALS_REFUSED for a wrong token, VB_CARRIER_UNREACHABLE when there is no sandbox */
  static async connect({ url, token, ...line }: PhoneClientOptions): Promise<PhoneClient> {
    const socket = new WebSocket(phoneAddress(url, token), {
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    });
    const phone = new PhoneClient(socket, line);
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

  private constructor(socket: WebSocket, { exchange, holdMs }: Pick<PhoneClientOptions, 'exchange' | 'holdMs'>) {
    super();
    this.#socket = socket;
    this.#replies = new HeldReplies((said) => socket.send(said), holdMs);
    socket.on('message', (data: RawData, isBinary) => {
      if (isBinary) this.#replies.push(exchange(data as Buffer));
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

  /**
   * Has the next call to a number ring this phone, in place of what the number does otherwise; resolves when it does.
   * `ringing` says that it rings, `ended` follows in any case, and then the number is as before. Of several phones that attend
   * a number the first rings first. A phone that hangs up while it rings declines.
   * @param attendance by default the phone is answered, by a person, after a second
   * @throws VoicebotError VB_STREAM_CLOSED when the network is gone, or closes the phone: it does that when the request is malformed, or
   *   the phone is in a call or attends a number already
   */
  async attend({
    number,
    outcome = 'answered',
    ringMs = 1_000,
    isMachine = false,
  }: Pick<PhoneAttendance, 'number'> & Partial<PhoneAttendance>): Promise<void> {
    this.#request({ type: 'attend', number, outcome, ringMs, isMachine });
    await new Promise<void>((resolve, reject) => {
      const refused = (_code: number, reason: Buffer): void =>
        reject(new VoicebotError('VB_STREAM_CLOSED', `${reason}` || 'the sandbox is gone'));
      this.#socket.once('close', refused);
      this.once('attending', () => {
        this.#socket.off('close', refused);
        resolve();
      });
    });
  }

  press(digit: DtmfDigit): void {
    this.#request({ type: 'press', digit });
  }

  /** Tells the network the words of what was just said, for whatever plays ears there. Does nothing once the network is gone. */
  spoke(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#request({ type: 'words', text: text.slice(0, MAX_PHONE_WORDS) });
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
    else if (notice.type === 'ringing') this.#ringing(notice.callId);
    else this.emit(notice.type);
  }

  #ringing(callId: string): void {
    this.#isInCall = true;
    this.emit('ringing', callId);
  }

  #ended(end: PhoneCallEnd): void {
    this.#isInCall = false;
    this.#replies.flush();
    this.emit('ended', end);
  }
}
