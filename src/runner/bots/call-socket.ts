import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { WebSocket } from 'ws';
import type { ProviderCallId } from '../../call/call-id.js';
import { FINAL_TEXT, LONG, SHORT_BYTES, textFrameAt } from './text-frame.js';

/** Longest message accepted on a media stream, in bytes; a longer one closes that socket with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1_024;

/** `autoPong` would end the stream after more than 60 pings in one read, as if the bot had; {@link CallSocket.answerPing} does not. */
const SERVER_SIDE = { autoPong: false, closeTimeout: 30_000 };
const RECEIVER = { allowSynchronousEvents: true, maxPayload: MAX_MESSAGE_BYTES, skipUTF8Validation: false };

/** Of a server's frame of 126 to 65535 bytes (RFC 6455 section 5.2); up to 125 bytes have a head of two. */
const HEAD_BYTES = 4;
/** In UTF-16 units: at most three bytes each. A carrier's message of 20 ms is a tenth of this. */
const MAX_TEXT_LENGTH = 4_096;

/** Where the next frame of any call is put together; free again as soon as a socket has taken it. */
let outgoing = Buffer.allocUnsafeSlow(HEAD_BYTES + 3 * MAX_TEXT_LENGTH);

/** State 0: what comes next is the beginning of a frame. */
interface Receiver extends Writable {
  readonly _state: number;
  readonly _bufferedBytes: number;
  readonly _fragmented: number;
  readonly _loop: boolean;
}

/** What ws 8 keeps to itself; a test fails when it changes. */
interface WsInternals {
  _readyState: number;
  _paused: boolean;
  readonly _closeFrameReceived: boolean;
  readonly _receiver: Receiver | null;
  readonly _socket: Socket | null;
  readonly _sender: { readonly _firstFragment: boolean } | null;
  setSocket(socket: Socket, head: Buffer, options: typeof RECEIVER): void;
  emitClose(): void;
}

/**
 * A media stream as the bot sees it. It is open from the start, and gets its connection when the bot wants it: what the
 * bot sends before waits until then. Knows when the bot ends the stream, rather than the far end.
 */
export class CallSocket extends WebSocket {
  /** The call this stream was let in for, by the carrier's identifier. */
  callId: ProviderCallId | undefined;
  /** Called once: the bot listens for messages, or ends the stream after it has sent something, and needs the connection. */
  onWanted: () => void = () => {};
  /** Called once, when the bot closes the stream before the far end did; with the close code, if it gave one. */
  onClosedByBot: (code?: number) => void = () => {};
  /** What to send once there is a connection; undefined from then on. */
  #early: Array<() => void> | undefined = [];
  #isWanted = false;
  #isClosing = false;
  /** The ping to answer when the pong on its way is written; more than one may have come by then. */
  #unanswered: Buffer | undefined;
  #isPongOnItsWay = false;

  constructor() {
    super(...([null, undefined, SERVER_SIDE] as unknown as [null]));
    this.#internals._readyState = this.OPEN;
    this.on('newListener', (event) => {
      if (event === 'message') this.#want();
    });
  }

  get #internals(): WsInternals {
    return this as unknown as WsInternals;
  }

  get isConnected(): boolean {
    return this.#early === undefined;
  }

  /** @param head what has come on the connection already */
  connect(socket: Socket, head: Buffer): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#internals.setSocket(socket, head, RECEIVER);
    this.#takeTexts();
    for (const send of early) send();
    if (!this.isPaused) socket.resume();
  }

  override send(data: Parameters<WebSocket['send']>[0], ...rest: unknown[]): void {
    if (this.#early) this.#early.push(() => super.send(data, ...(rest as [])));
    else if (typeof data !== 'string' || rest.length > 0 || !this.#sendText(data)) super.send(data, ...(rest as []));
  }

  /**
   * Sends text as one frame in one piece, where ws would hand the system its head and its text as two: half the work, 50 times a second.
   * @returns false when ws must do it
   */
  #sendText(text: string): boolean {
    const { _socket: socket, _sender: sender } = this.#internals;
    const isPlain = this.readyState === this.OPEN && socket && sender?._firstFragment;
    if (!isPlain || text.length > MAX_TEXT_LENGTH) return false;
    const length = outgoing.write(text, HEAD_BYTES);
    const start = length > SHORT_BYTES ? 0 : HEAD_BYTES - 2;
    outgoing[start] = FINAL_TEXT;
    outgoing[start + 1] = length > SHORT_BYTES ? LONG : length;
    if (length > SHORT_BYTES) outgoing.writeUInt16BE(length, 2);
    socket.write(outgoing.subarray(start, HEAD_BYTES + length));
    if (socket.writableLength > 0) outgoing = Buffer.allocUnsafeSlow(outgoing.length); // the socket still holds the old one
    return true;
  }

  /**
   * Takes the texts that come in whole before ws reads them, and leaves everything else to it: a carrier's messages are such texts, and
   * reach the bot with half the work.
   */
  #takeTexts(): void {
    const receiver = this.#internals._receiver;
    if (!receiver) return;
    const write = receiver.write.bind(receiver);
    receiver.write = (chunk: Buffer) => {
      let at = 0;
      while (at < chunk.length && this.#isBetweenMessages(receiver)) {
        const text = textFrameAt(chunk, at);
        if (!text) break;
        at = text.byteOffset - chunk.byteOffset + text.length;
        this.emit('message', text, false);
      }
      return at === chunk.length || write(at === 0 ? chunk : chunk.subarray(at));
    };
  }

  #isBetweenMessages({ errored, _loop, _state, _bufferedBytes, _fragmented }: Receiver): boolean {
    const isReading = errored !== null || _loop || _state + _bufferedBytes + _fragmented > 0;
    return !isReading && this.#internals._readyState === this.OPEN;
  }

  override ping(...data: [data?: never, mask?: never, done?: never]): void {
    if (!this.#early) super.ping(...data);
  }

  override pause(): void {
    if (this.#early) this.#internals._paused = true;
    else super.pause();
  }

  override resume(): void {
    if (this.#early) this.#internals._paused = false;
    else super.resume();
  }

  /** Whether something waits for the connection; it is wanted then. */
  wantForWords(): boolean {
    const hasWords = this.#early !== undefined && this.#early.length > 0 && this.readyState === this.OPEN;
    if (hasWords) this.#want();
    return hasWords;
  }

  override close(code?: number, data?: string | Buffer): void {
    const hasWords = this.wantForWords();
    this.#noteClosing(code);
    if (hasWords) this.#early?.push(() => super.close(code, data));
    else if (this.#early) this.#closeUnconnected();
    else super.close(code, data);
  }

  override terminate(): void {
    this.#noteClosing();
    if (this.#early) this.#closeUnconnected();
    else super.terminate();
  }

  #want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.onWanted();
  }

  #closeUnconnected(): void {
    if (this.readyState !== this.OPEN) return;
    this.#internals._readyState = this.CLOSING;
    process.nextTick(() => this.#internals.emitClose());
  }

  /** One pong at a time, for the latest ping (RFC 6455 section 5.5.3): a far end may send as many pings as it likes. */
  answerPing(data: Buffer): void {
    this.#unanswered = data;
    if (this.#isPongOnItsWay || this.readyState !== this.OPEN) return;
    this.#isPongOnItsWay = true;
    this.#unanswered = undefined;
    this.pong(data, false, () => {
      this.#isPongOnItsWay = false;
      if (this.#unanswered) this.answerPing(this.#unanswered);
    });
  }

  #noteClosing(code?: number): void {
    if (this.#isClosing || this.readyState !== this.OPEN) return;
    this.#isClosing = true;
    if (!this.#isAnswerToFarEnd()) this.onClosedByBot(code);
  }

  /** ws answers a close and a protocol error of the far end through the same method, and keeps the reason to itself. */
  #isAnswerToFarEnd(): boolean {
    const { _closeFrameReceived, _receiver } = this.#internals;
    return _closeFrameReceived || Boolean(_receiver?.errored);
  }
}
