import type { StreamPlace } from '../processes/carrier.js';
import { CarrierStream, FRAME_MS } from '../processes/carrier-stream.js';
import { EchoMeasurements, isAsSent, StampedSpeech } from '../processes/echo.js';

/** Of what one far end has said in a window of time, as the other one hears it. Times are milliseconds. */
export class SpokenMeasurements extends EchoMeasurements {
  /** Of each frame that has come, until it begins to be played. */
  readonly heardDelays: number[] = [];
  /** Frames that came as they were sent, bit by bit, and those that did not. */
  untouched = 0;
  altered = 0;
}

/** A telephone at the far end of a media stream, which talks all the time. */
export class FarEnd extends CarrierStream {
  readonly #speech = new StampedSpeech<SpokenMeasurements>();
  /** Whom they hear: themselves, where an echo serves the call. */
  hears: FarEnd = this;

  /** @param clockRate of its clock, against ours */
  constructor(
    place: StreamPlace,
    readonly ownClockRate = 1,
  ) {
    super(place, ownClockRate);
  }

  set measurements(measurements: SpokenMeasurements | undefined) {
    this.#speech.measurements = measurements;
  }

  /** @param spokenAt when its sound was there to be sent */
  override sendFrame(spokenAt = performance.now()): void {
    if (this.isOpen) this.say(this.#speech.next(spokenAt));
  }

  protected override hear(payload: Uint8Array, now: number): void {
    const speech = this.hears.#speech;
    const { measurements } = speech;
    const sentAt = speech.heard(payload, now);
    if (!measurements) return;
    if (!Number.isNaN(sentAt)) measurements.heardDelays.push(this.playedAt - FRAME_MS - sentAt);
    if (!measurements.covers(now)) return;
    if (isAsSent(payload)) measurements.untouched += 1;
    else measurements.altered += 1;
  }
}
