import type { RawData, WebSocket } from 'ws';

export type StreamReader = (data: RawData, isBinary: boolean) => void;

/**
 * The media stream that a call has at the moment. A transfer that comes to nothing gives the call another one; whoever
 * reads and writes here goes on with it.
 */
export class CurrentStream {
  #websocket: WebSocket;
  #reader: StreamReader | undefined;

  /** @param onClose told when the stream is over, unless another one has replaced it; `code` as in RFC 6455 section 7.4 */
  constructor(
    websocket: WebSocket,
    private readonly onClose: (code: number) => void,
  ) {
    this.#websocket = websocket;
    this.#watch(websocket);
  }

  get websocket(): WebSocket {
    return this.#websocket;
  }

  get isOpen(): boolean {
    return this.#websocket.readyState === this.#websocket.OPEN;
  }

  /** What the peer has not taken yet, in bytes. */
  get unsentBytes(): number {
    return this.#websocket.bufferedAmount;
  }

  /** Does nothing when the stream is not open: what was meant for it is worthless afterwards. */
  send(text: string): void {
    if (this.isOpen) this.#websocket.send(text);
  }

  close(code: number): void {
    this.#websocket.close(code);
  }

  /** Gives `reader` every message from now on, also of a stream that comes later. */
  read(reader: StreamReader): void {
    this.#reader = reader;
    this.#websocket.on('message', reader);
    this.#websocket.resume();
  }

  stopReading(): void {
    if (this.#reader) this.#websocket.off('message', this.#reader);
    this.#reader = undefined;
  }

  replace(websocket: WebSocket): void {
    const reader = this.#reader;
    this.stopReading();
    this.#websocket = websocket;
    this.#watch(websocket);
    if (reader) this.read(reader);
  }

  #watch(websocket: WebSocket): void {
    websocket.once('close', (code) => {
      if (websocket === this.#websocket) this.onClose(code);
    });
  }
}
