import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';

const PAYLOAD = '"payload":"';
export const FRAME_MS = 20;

/** The carrier's end of one call's media stream: plays what comes in real time, and acknowledges it. */
export abstract class CarrierStream {
  readonly streamId = randomUUID();
  readonly opened: Promise<void>;
  /** Rejects when the call ends. */
  protected readonly ended: Promise<never>;
  readonly #socket: WebSocket;
  #sentFrames = 0;
  #playedAt = 0;
  #marks: NodeJS.Timeout[] = [];

  constructor(
    url: string,
    headers: Record<string, string>,
    readonly callId: string,
  ) {
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
    for (const mark of this.#marks) clearTimeout(mark);
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
    const chunk = this.#sentFrames;
    this.#socket.send(
      `{"sequenceNumber":${chunk + 1},"event":"media","streamId":"${this.streamId}","media":{"track":"inbound",` +
        `"timestamp":"${1_700_000_000_000 + chunk * FRAME_MS}","chunk":${chunk},"payload":"${payload}"},"extra_headers":""}`,
    );
  }

  protected send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #sendStart(): void {
    this.send({
      sequenceNumber: 1,
      event: 'start',
      start: {
        callId: this.callId,
        streamId: this.streamId,
        accountId: '1234567',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
      extra_headers: '',
    });
  }

  #receive(data: RawData): void {
    const now = performance.now();
    const text = String(data);
    const payloadAt = text.indexOf(PAYLOAD);
    if (payloadAt >= 0) {
      this.#playedAt = Math.max(this.#playedAt, now) + FRAME_MS;
      this.hear(text, payloadAt + PAYLOAD.length, now);
    } else if (text.includes('"clearAudio"')) this.#clear(now);
    else if (text.includes('"checkpoint"')) this.#acknowledge(JSON.parse(text).name, now);
  }

  #clear(now: number): void {
    this.#playedAt = now;
    this.clear(now);
    for (const mark of this.#marks.splice(0)) clearTimeout(mark);
    this.send({ event: 'clearedAudio', streamId: this.streamId });
  }

  /** A checkpoint comes back when all before it has been played. */
  #acknowledge(name: string, now: number): void {
    const mark = setTimeout(
      () => {
        this.#marks = this.#marks.filter((other) => other !== mark);
        if (this.isOpen) this.send({ event: 'playedStream', streamId: this.streamId, name });
      },
      Math.max(0, this.#playedAt - now),
    );
    this.#marks.push(mark);
  }
}
