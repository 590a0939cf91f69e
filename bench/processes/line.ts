import { CarrierStream, FRAME_MS } from './carrier-stream.js';
import { readStamp, SPEECH, STAMP_BYTES, stampOf } from './speech.js';

/** What a line's audio tells during a window of time. Times are milliseconds. */
export class LineMeasurements {
  sentFrames = 0;
  /** Of each frame that was sent inside the window and came back, even if later. */
  readonly echoDelays: number[] = [];
  /** The same until it begins to be played to the caller. */
  readonly heardDelays: number[] = [];
  /** Between two messages with audio. */
  readonly gaps: number[] = [];
  /** How much the caller heard, and how much was missing: nothing was there to be played. */
  heardMs = 0;
  missingMs = 0;
  longestMissingMs = 0;
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

/** A call on which stamped frames are sent all the time; takes note of what comes back. */
export class Line extends CarrierStream {
  measurements: LineMeasurements | undefined;
  readonly #sentAt = new Float64Array(REMEMBERED);
  #lastAudioAt = Number.NaN;
  /** Until when there was something to play. */
  #heardUntil = Number.NaN;
  readonly #createdAt = performance.now();
  /** From its opening to the bot's first audio, in milliseconds; NaN before. */
  firstAudioMs = Number.NaN;
  #settleFirstAudio: (at: number) => void = () => {};
  readonly #firstAudio = new Promise<number>((resolve) => {
    this.#settleFirstAudio = resolve;
  });
  #settleCleared: (at: number) => void = () => {};

  /** When the bot was first heard. @throws Error when the call ends without that */
  get firstAudio(): Promise<number> {
    return Promise.race([this.#firstAudio, this.ended]);
  }

  override sendFrame(): void {
    if (!this.isOpen) return;
    const chunk = this.sentFrames + 1;
    const now = performance.now();
    this.#sentAt[chunk % REMEMBERED] = now;
    if (this.measurements?.covers(now)) this.measurements.sentFrames += 1;
    this.sendAudio(stampOf(chunk).toString('base64') + TAILS[chunk % TAILS.length]);
  }

  /** Presses a key; resolves with the milliseconds until the far end cleared what it had said. */
  async interrupt(): Promise<number> {
    const pressedAt = performance.now();
    const cleared = new Promise<number>((resolve) => {
      this.#settleCleared = resolve;
    });
    this.send(this.dialect.key(this, '1'));
    return (await Promise.race([cleared, this.ended])) - pressedAt;
  }

  protected override hear(text: string, payloadAt: number, now: number): void {
    this.#settleFirstAudio(now);
    if (Number.isNaN(this.firstAudioMs)) this.firstAudioMs = now - this.#createdAt;
    this.#play();
    const stamp = readStamp(Buffer.from(text.slice(payloadAt, payloadAt + STAMP_LENGTH), 'base64'));
    const sentAt = this.#sentAt[(stamp ?? Number.NaN) % REMEMBERED] ?? Number.NaN;
    if (this.measurements?.covers(sentAt)) {
      this.measurements.echoDelays.push(now - sentAt);
      this.measurements.heardDelays.push(this.playedAt - FRAME_MS - sentAt);
    }
    if (this.measurements?.covers(this.#lastAudioAt)) this.measurements.gaps.push(now - this.#lastAudioAt);
    this.#lastAudioAt = now;
  }

  protected override clear(now: number): void {
    this.#settleCleared(now);
    this.#lastAudioAt = this.#heardUntil = Number.NaN;
  }

  /** Takes note of what was missing before the 20 ms that have come. */
  #play(): void {
    const missingMs = this.playedAt - FRAME_MS - this.#heardUntil;
    this.#heardUntil = this.playedAt;
    const { measurements } = this;
    if (!measurements) return;
    measurements.heardMs += FRAME_MS;
    if (!(missingMs > 0)) return;
    measurements.missingMs += missingMs;
    measurements.longestMissingMs = Math.max(measurements.longestMissingMs, missingMs);
  }
}
