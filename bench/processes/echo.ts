import { percentile } from '../statistics.js';
import { SPEECH } from './speech.js';

/** Of frames that were sent in a window of time. Times are milliseconds. */
export class EchoMeasurements {
  sentFrames = 0;
  /** Of each that came back, even if later. */
  readonly delays: number[] = [];
  readonly #startsAt = performance.now();
  readonly #endsAt: number;

  constructor(windowMs: number) {
    this.#endsAt = this.#startsAt + windowMs;
  }

  covers(time: number): boolean {
    return time >= this.#startsAt && time < this.#endsAt;
  }
}

export interface EchoResult {
  sentFrames: number;
  echoedFrames: number;
  /** Milliseconds. */
  echoDelay: { p50: number; p99: number };
}

/** All lines together. */
export function echoOf(measurements: readonly EchoMeasurements[]): EchoResult {
  const delays = measurements.flatMap((one) => one.delays);
  return {
    sentFrames: measurements.reduce((sum, { sentFrames }) => sum + sentFrames, 0),
    echoedFrames: delays.length,
    echoDelay: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) },
  };
}

/** Bytes of mu-law at the beginning of a frame that say which frame it is. They survive decoding and encoding. */
const STAMP_BYTES = 6;
/** Frames whose time of sending is remembered. */
const REMEMBERED = 1_024;

/** Speech whose frames can be told apart when they come back as they were. */
export class StampedSpeech<Measurements extends EchoMeasurements = EchoMeasurements> {
  measurements: Measurements | undefined;
  readonly #sentAt = new Float64Array(REMEMBERED);
  #frames = 0;

  /** The next 20 ms, which are sent now. */
  next(now: number): Uint8Array {
    this.#frames += 1;
    this.#sentAt[this.#frames % REMEMBERED] = now;
    if (this.measurements?.covers(now)) this.measurements.sentFrames += 1;
    return stamped(this.#frames);
  }

  /** Takes note of 20 ms that have come. @returns when they were sent; NaN when they are no echo of a window that is measured */
  heard(frame: Uint8Array, now: number): number {
    const sentAt = this.#sentAt[(readStamp(frame) ?? Number.NaN) % REMEMBERED] ?? Number.NaN;
    if (!this.measurements?.covers(sentAt)) return Number.NaN;
    this.measurements.delays.push(now - sentAt);
    return sentAt;
  }
}

/** 20 ms that are told by their number. */
function stamped(no: number): Buffer {
  const frame = Buffer.from(SPEECH[no % SPEECH.length] as Buffer);
  for (let digit = 0; digit < STAMP_BYTES; digit += 1) frame[digit] = 0x80 | ((no >> (5 * digit)) & 0x1f);
  return frame;
}

/** Whether 20 ms have come as they were sent, bit by bit. */
export function isAsSent(frame: Uint8Array): boolean {
  const no = readStamp(frame);
  return no !== undefined && stamped(no).equals(frame);
}

/** The number in a frame's first bytes; undefined when there is none. */
function readStamp(bytes: Uint8Array): number | undefined {
  let frame = 0;
  for (let digit = STAMP_BYTES - 1; digit >= 0; digit -= 1) {
    const byte = bytes[digit] as number;
    if ((byte & 0xe0) !== 0x80) return undefined;
    frame = (frame << 5) | (byte & 0x1f);
  }
  return frame;
}
