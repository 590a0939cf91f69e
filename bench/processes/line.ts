import { CarrierStream, FRAME_MS } from './carrier-stream.js';
import { dist } from './dist.js';
import { EchoMeasurements, StampedSpeech } from './echo.js';

const { deferred } = await dist<typeof import('../../src/base/async/deferred.js')>('base/async/deferred.js');

/** What a line's audio tells during a window of time. Times are milliseconds. */
export class LineMeasurements extends EchoMeasurements {
  /** Of each echo, until it begins to be played to the caller. */
  readonly heardDelays: number[] = [];
  /** Between two messages with audio. */
  readonly gaps: number[] = [];
  /** How much the caller heard, and how much was missing: nothing was there to be played. */
  heardMs = 0;
  missingMs = 0;
  longestMissingMs = 0;
}

/** A call on which stamped frames are sent all the time; takes note of what comes back. */
export class Line extends CarrierStream {
  readonly #speech = new StampedSpeech<LineMeasurements>();
  #lastAudioAt = Number.NaN;
  /** Until when there was something to play. */
  #heardUntil = Number.NaN;
  readonly #createdAt = performance.now();
  /** From its opening to the bot's first audio, in milliseconds; NaN before. */
  firstAudioMs = Number.NaN;
  readonly #firstAudio = deferred<number>();

  /** When the bot was first heard. @throws Error when the call ends without that */
  get firstAudio(): Promise<number> {
    return Promise.race([this.#firstAudio.promise, this.ended]);
  }

  set measurements(measurements: LineMeasurements | undefined) {
    this.#speech.measurements = measurements;
  }

  override sendFrame(): void {
    if (this.isOpen) this.say(this.#speech.next(performance.now()));
  }

  /** Presses a key; resolves with the milliseconds until the far end cleared what it had said. */
  async interrupt(): Promise<number> {
    const pressedAt = performance.now();
    const cleared = this.cleared();
    this.press('1');
    return (await cleared) - pressedAt;
  }

  protected override hear(payload: Uint8Array, now: number): void {
    this.#firstAudio.resolve(now);
    if (Number.isNaN(this.firstAudioMs)) this.firstAudioMs = now - this.#createdAt;
    this.#play();
    const sentAt = this.#speech.heard(payload, now);
    const { measurements } = this.#speech;
    if (!Number.isNaN(sentAt)) measurements?.heardDelays.push(this.playedAt - FRAME_MS - sentAt);
    if (measurements?.covers(this.#lastAudioAt)) measurements.gaps.push(now - this.#lastAudioAt);
    this.#lastAudioAt = now;
  }

  override clear(): void {
    super.clear();
    this.#lastAudioAt = this.#heardUntil = Number.NaN;
  }

  /** Takes note of what was missing before the 20 ms that have come. */
  #play(): void {
    const missingMs = this.playedAt - FRAME_MS - this.#heardUntil;
    this.#heardUntil = this.playedAt;
    const { measurements } = this.#speech;
    if (!measurements) return;
    measurements.heardMs += FRAME_MS;
    if (!(missingMs > 0)) return;
    measurements.missingMs += missingMs;
    measurements.longestMissingMs = Math.max(measurements.longestMissingMs, missingMs);
  }
}
