import type { Writable } from 'node:stream';
import { type Server, WebSocket, WebSocketServer } from 'ws';

/** Longest message accepted on a media stream, in bytes; a longer one closes that socket with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1_024;

/** The fields in which ws 8 keeps what the far end did; a test fails when they change. */
interface WsInternals {
  readonly _closeFrameReceived: boolean;
  readonly _receiver: Writable | null;
}

/** A media stream as the bot sees it. Knows when the bot ends it, rather than the far end. */
export class CallSocket extends WebSocket {
  /** The call this stream was let in for, by the carrier's identifier. */
  callId: string | undefined;
  /** Called once, when the bot closes the stream before the far end did; with the close code, if it gave one. */
  onClosedByBot: (code?: number) => void = () => {};
  #isClosing = false;
  /** The ping to answer when the pong on its way is written; more than one may have come by then. */
  #unanswered: Buffer | undefined;
  #isPongOnItsWay = false;

  override close(code?: number, data?: string | Buffer): void {
    this.#noteClosing(code);
    super.close(code, data);
  }

  override terminate(): void {
    this.#noteClosing();
    super.terminate();
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
    const { _closeFrameReceived, _receiver } = this as unknown as WsInternals;
    return _closeFrameReceived || Boolean(_receiver?.errored);
  }
}

/** Answers upgrades that somebody else has accepted. Echoes the first subprotocol offered, compresses nothing. */
export function createUpgrader(): Server<typeof CallSocket> {
  return new WebSocketServer({
    noServer: true,
    WebSocket: CallSocket,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    clientTracking: false,
    autoPong: false, // more than 60 pings in one read would end the stream, as if the bot had: `answerPing` has no such limit
  });
}
