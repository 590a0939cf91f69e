import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type RawData, WebSocket } from 'ws';

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
const FRAME_BYTES = 160;
const STAMP_BYTES = 6;
/** Up to the first sample of the mu-law recording. */
const WAV_HEADER_BYTES = 58;
/** Speech in 20 ms pieces without their first bytes, base64: what a caller says over and over. */
const TAILS = [...speechTails()];
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
    const payload = stamp(chunk) + TAILS[chunk % TAILS.length];
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
    const sentAt = this.#sentAt[readStamp(text, payloadAt) % REMEMBERED] as number;
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

function* speechTails(): Generator<string> {
  const wav = readFileSync(new URL('test/fixtures/audio/speech.wav', import.meta.resolve('voicebot/package.json')));
  for (let at = WAV_HEADER_BYTES; at + FRAME_BYTES <= wav.length; at += FRAME_BYTES) {
    yield wav.toString('base64', at + STAMP_BYTES, at + FRAME_BYTES);
  }
}

/** The number of a frame as base64 of six mu-law bytes that survive decoding and encoding. */
function stamp(frame: number): string {
  const bytes = Array.from({ length: STAMP_BYTES }, (_, digit) => 0x80 | ((frame >> (5 * digit)) & 0x1f));
  return Buffer.from(bytes).toString('base64');
}

function readStamp(text: string, at: number): number {
  const bytes = Buffer.from(text.slice(at, at + 8), 'base64');
  return bytes.reduceRight((frame, byte) => (frame << 5) | (byte & 0x1f), 0);
}
