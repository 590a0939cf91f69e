import { type Server, WebSocket, WebSocketServer } from 'ws';

/** Longest message accepted on a media stream, in bytes; a longer one closes that socket with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1_024;

/** A media stream as the bot sees it. Knows which side ended it first. */
export class CallSocket extends WebSocket {
  /** True once this side has closed the stream. */
  isClosedHere = false;
  /** Called once, when this side closes the stream before the far end did. */
  onClosedHere = () => {};

  override close(code?: number, data?: string | Buffer): void {
    this.#closeHere();
    super.close(code, data);
  }

  override terminate(): void {
    this.#closeHere();
    super.terminate();
  }

  #closeHere(): void {
    if (this.isClosedHere || this.readyState !== this.OPEN) return;
    this.isClosedHere = true;
    this.onClosedHere();
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
  });
}
