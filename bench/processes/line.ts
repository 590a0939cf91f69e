import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import { readStamp, SPEECH, STAMP_BYTES, stampOf } from './speech.js';

/** What a line's audio tells during a window of time. Times are milliseconds. */
export class LineMeasurements {
  sentFrames = 0;
  /** Of each frame that was sent inside the window and came back, even if later. */
  readonly echoDelays: number[] = [];
  /** Between two messages with audio. */
  readonly gaps: number[] = [];
  readonly #startsAt = performance.now();
  readonly #endsAt: number;

  constructor(windowMs: number) {
    this.#endsAt = this.#startsAt + windowMs;
  }

  covers(time: number): boolean {
    return time >= this.#startsAt && time < this.#endsAt;
  }
}

/** Stamped frames whose time of sending is remembered. */
const REMEMBERED = 1_024;
/** Speech without the stamps, base64. */
const TAILS = SPEECH.map((frame) => frame.toString('base64', STAMP_BYTES));
/** Of a stamp in base64. */
const STAMP_LENGTH = 8;
const PAYLOAD = '"payload":"';

/** The carrier's end of one call's media stream: sends stamped frames, takes note of what comes back. */
export class Line {
  readonly streamId = randomUUID();
  readonly opened: Promise<void>;
  measurements: LineMeasurements | undefined;
  readonly #socket: WebSocket;
  readonly #ended: Promise<never>;
  readonly #sentAt = new Float64Array(REMEMBERED);
  #frames = 0;
  #lastAudioAt = Number.NaN;
  #playedAt = 0;
  #marks: NodeJS.Timeout[] = [];
  #settleFirstAudio: (at: number) => void = () => {};
  readonly #firstAudio = new Promise<number>((resolve) => {
    this.#settleFirstAudio = resolve;
  });
  #settleCleared: (at: number) => void = () => {};

  constructor(
    url: string,
    headers: Record<string, string>,
    readonly callId: string,
  ) {
    this.#socket = new WebSocket(url, { headers, perMessageDeflate: false });
    this.opened = once(this.#socket, 'open').then(() => this.#sendStart());
    this.#socket.on('message', (data) => this.#receive(data));
    this.#socket.on('error', () => {}); // shows as the close
    this.#ended = once(this.#socket, 'close').then(([code]) => {
      throw new Error(`the call ended with ${code}`);
    });
    this.#ended.catch(() => {}); // only matters to those who wait for something else
  }

  /** When the bot was first heard. @throws Error when the call ends without that */
  get firstAudio(): Promise<number> {
    return Promise.race([this.#firstAudio, this.#ended]);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends 20 ms of audio. */
  sendFrame(): void {
    if (!this.isOpen) return;
    this.#frames += 1;
    const chunk = this.#frames;
    const now = performance.now();
    this.#sentAt[chunk % REMEMBERED] = now;
    if (this.measurements?.covers(now)) this.measurements.sentFrames += 1;
    const payload = stampOf(chunk).toString('base64') + TAILS[chunk % TAILS.length];
    this.#socket.send(
      `{"sequenceNumber":${chunk + 1},"event":"media","streamId":"${this.streamId}","media":{"track":"inbound",` +
        `"timestamp":"${1_700_000_000_000 + chunk * 20}","chunk":${chunk},"payload":"${payload}"},"extra_headers":""}`,
    );
  }

  /** Presses a key; resolves with the milliseconds until the far end cleared what it had said. */
  async interrupt(): Promise<number> {
    const pressedAt = performance.now();
    const cleared = new Promise<number>((resolve) => {
      this.#settleCleared = resolve;
    });
    this.#send({ event: 'dtmf', streamId: this.streamId, dtmf: { track: 'inbound', digit: '1', timestamp: '1' } });
    return (await Promise.race([cleared, this.#ended])) - pressedAt;
  }

  async close(): Promise<void> {
    for (const mark of this.#marks) clearTimeout(mark);
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, 'close');
    this.#socket.close(1000);
    await closed;
  }

  #sendStart(): void {
    this.#send({
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

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #receive(data: RawData): void {
    const now = performance.now();
    const text = String(data);
    const payloadAt = text.indexOf(PAYLOAD);
    if (payloadAt >= 0) this.#hear(text, payloadAt + PAYLOAD.length, now);
    else if (text.includes('"clearAudio"')) this.#clear(now);
    else if (text.includes('"checkpoint"')) this.#acknowledge(JSON.parse(text).name, now);
  }

  #hear(text: string, payloadAt: number, now: number): void {
    this.#settleFirstAudio(now);
    this.#playedAt = Math.max(this.#playedAt, now) + 20;
    const stamp = readStamp(Buffer.from(text.slice(payloadAt, payloadAt + STAMP_LENGTH), 'base64'));
    const sentAt = this.#sentAt[(stamp ?? Number.NaN) % REMEMBERED] ?? Number.NaN;
    if (this.measurements?.covers(sentAt)) this.measurements.echoDelays.push(now - sentAt);
    if (this.measurements?.covers(this.#lastAudioAt)) this.measurements.gaps.push(now - this.#lastAudioAt);
    this.#lastAudioAt = now;
  }

  #clear(now: number): void {
    this.#settleCleared(now);
    this.#playedAt = now;
    this.#lastAudioAt = Number.NaN;
    for (const mark of this.#marks.splice(0)) clearTimeout(mark);
    this.#send({ event: 'clearedAudio', streamId: this.streamId });
  }

  /** A checkpoint comes back when all before it has been played. */
  #acknowledge(name: string, now: number): void {
    const mark = setTimeout(
      () => {
        this.#marks = this.#marks.filter((other) => other !== mark);
        if (this.isOpen) this.#send({ event: 'playedStream', streamId: this.streamId, name });
      },
      Math.max(0, this.#playedAt - now),
    );
    this.#marks.push(mark);
  }
}
