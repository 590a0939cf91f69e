import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import type { Dialect } from './dialects/dialect.js';
import { plivoDialect } from './dialects/plivo.js';

const PAYLOAD = '"payload":"';
export const FRAME_MS = 20;

/** The carrier's end of one call's media stream: plays what comes in real time, and acknowledges it. */
export abstract class CarrierStream {
  readonly streamId: string;
  readonly opened: Promise<void>;
  /** Rejects when the call ends. */
  protected readonly ended: Promise<never>;
  readonly #socket: WebSocket;
  #sentFrames = 0;
  #playedAt = 0;
  /** What has not been played yet, by the name of its mark. */
  #marks = new Map<NodeJS.Timeout, string>();

  constructor(
    url: string,
    headers: Record<string, string>,
    readonly callId: string,
    protected readonly dialect: Dialect = plivoDialect,
  ) {
    this.streamId = dialect.newStreamId();
    this.#socket = new WebSocket(url, { headers, perMessageDeflate: false });
    this.opened = once(this.#socket, 'open').then(() => this.#sendStart());
    this.#socket.on('message', (data) => this.#receive(data));
    this.#socket.on('error', () => {}); // shows as the close
    this.ended = once(this.#socket, 'close').then(([code]) => {
      throw new Error(`the call ended with ${code}`);
    });
    this.ended.catch(() => {}); // only matters to those who wait for something else
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends 20 ms of audio. */
  abstract sendFrame(): void;

  async close(): Promise<void> {
    for (const timer of this.#marks.keys()) clearTimeout(timer);
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, 'close');
    this.#socket.close(1000);
    await closed;
  }

  protected get sentFrames(): number {
    return this.#sentFrames;
  }

  /** When everything that has come will have been played, in monotonic milliseconds. */
  protected get playedAt(): number {
    return this.#playedAt;
  }

  /** Audio has come. @param text the message @param payloadAt where its base64 begins */
  protected abstract hear(text: string, payloadAt: number, now: number): void;

  /** What was not played is dropped. */
  protected abstract clear(now: number): void;

  /** @param payload 20 ms of mu-law, base64 */
  protected sendAudio(payload: string): void {
    this.#sentFrames += 1;
    this.#socket.send(this.dialect.audio(this, this.#sentFrames, payload));
  }

  protected send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #sendStart(): void {
    for (const message of this.dialect.opening(this)) this.send(message);
  }

  #receive(data: RawData): void {
    const now = performance.now();
    const text = String(data);
    const payloadAt = text.indexOf(PAYLOAD);
    if (payloadAt >= 0) {
      this.#playedAt = Math.max(this.#playedAt, now) + FRAME_MS;
      this.hear(text, payloadAt + PAYLOAD.length, now);
    } else if (this.dialect.isClear(text)) this.#clear(now);
    else this.#acknowledge(this.dialect.markIn(text), now);
  }

  #clear(now: number): void {
    this.#playedAt = now;
    this.clear(now);
    for (const [timer, name] of this.#marks) {
      clearTimeout(timer);
      if (this.dialect.returnsMarks) this.send(this.dialect.marked(this, name));
    }
    this.#marks.clear();
    const cleared = this.dialect.cleared(this);
    if (cleared) this.send(cleared);
  }

  /** A mark comes back when all before it has been played. */
  #acknowledge(name: string | undefined, now: number): void {
    if (name === undefined) return;
    const timer = setTimeout(
      () => {
        this.#marks.delete(timer);
        if (this.isOpen) this.send(this.dialect.marked(this, name));
      },
      Math.max(0, this.#playedAt - now),
    );
    this.#marks.set(timer, name);
  }
}
