import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { WebSocket } from 'ws';
import type { ProviderCallId } from '../../call/call-id.js';
import { readInPlace } from './read-in-place.js';
import { frameBytes, textFrameAt, textHead } from './text-frame.js';

/** Longest message accepted on a media stream, in bytes; a longer one closes that socket with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1_024;

/** `autoPong` would end the stream after more than 60 pings in one read, as if the bot had; {@link CallSocket.answerPing} does not. */
const SERVER_SIDE = { autoPong: false, closeTimeout: 30_000 };
const RECEIVER = { allowSynchronousEvents: true, maxPayload: MAX_MESSAGE_BYTES, skipUTF8Validation: false };

/** Longer texts go out through ws, in UTF-16 units. A carrier's message of 20 ms is a tenth of this. */
const MAX_TEXT_LENGTH = 4_096;

/** State 0: what comes next is the beginning of a frame. */
interface Receiver extends Writable {
  readonly _state: number;
  readonly _bufferedBytes: number;
  readonly _fragmented: number;
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
  /** Whose call it is. */
  carrier: string | undefined;
  /** The call this stream was let in for, by the carrier's identifier. */
  providerCallId: ProviderCallId | undefined;
  /** Called once: the bot listens for messages, or ends the stream after it has sent something, and needs the connection. */
  onWanted: () => void = () => {};
  /** Called once, when the bot closes the stream before the far end did; with the close code, if it gave one. */
  onClosedByBot: (code?: number) => void = () => {};
  /** Called with every message of the far end, before the bot's listeners. */
  onHeard: (message: Buffer) => void = () => {};
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

  /**
   * @param head what has come on the connection already
   * @returns the connection from now on
   */
  connect(socket: Socket, head: Buffer): Socket {
    const early = this.#early ?? [];
    this.#early = undefined;
    const connection = readInPlace(socket, (chunk, length) => this.#takeTexts(chunk, length));
    this.#internals.setSocket(connection, head, RECEIVER);
    this.#internals._receiver?.prependListener('message', (message: Buffer) => this.onHeard(message));
    for (const send of early) send();
    if (!this.isPaused) connection.resume();
    return connection;
  }

  override send(data: Parameters<WebSocket['send']>[0], ...rest: unknown[]): void {
    if (this.#early) this.#early.push(() => super.send(data, ...(rest as [])));
    else if (typeof data !== 'string' || rest.length > 0 || !this.#sendText(data)) super.send(data, ...(rest as []));
  }

  /**
   * Sends ASCII text as one frame in one piece, where ws would hand the system its head and its text as two: half the work, 50 times a second.
   * @returns false when ws must do it
   */
  #sendText(text: string): boolean {
    const { _socket: socket, _sender: sender } = this.#internals;
    const isPlain = this.readyState === this.OPEN && socket && sender?._firstFragment;
    if (!isPlain || text.length > MAX_TEXT_LENGTH || Buffer.byteLength(text) !== text.length) return false;
    socket.write(textHead(text.length) + text, 'latin1');
    return true;
  }

  /**
   * Takes the texts that come in whole before ws reads them, and leaves everything else to it: a carrier's messages are such texts, and
   * reach the bot with half the work.
   */
  #takeTexts(chunk: Buffer, length: number): number {
    let at = 0;
    while (at < length && this.#isBetweenMessages()) {
      const text = textFrameAt(chunk, at, length);
      if (!text) break;
      at += frameBytes(text.length);
      this.onHeard(text);
      this.emit('message', text, false);
    }
    return at;
  }

  #isBetweenMessages(): boolean {
    const { _state, _bufferedBytes, _fragmented } = this.#internals._receiver as Receiver;
    return _state + _bufferedBytes + _fragmented === 0 && this.readyState === this.OPEN;
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
