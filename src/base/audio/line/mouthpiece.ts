import { FRAME_MS } from '../frame.js';
import { levelDb } from '../level.js';
import { encodeMulaw, MULAW_SILENCE } from '../mulaw.js';
import { SampleQueue } from '../sample-queue.js';
import { MulawLine } from './mulaw-line.js';
import { PHONE_RATE } from './phone-rate.js';

const FRAME_SAMPLES = (PHONE_RATE * FRAME_MS) / 1_000;

/**
 * What the phone says, 20 ms for each 20 ms that it hears: the network's clock takes it, the microphone's brings it. A typed sentence
 * comes before what the microphone hears.
 */
export class Mouthpiece {
  isMuted = false;
  readonly #microphone = new MulawLine(PHONE_RATE);
  readonly #typed = new SampleQueue();
  /** Samples of typed sentences that have been said. */
  #read = 0;
  #readings: Array<{ readonly endsAt: number; readonly onSaid: () => void }> = [];
  #levelDb = -Infinity;

  /** How loud it is at the moment, in dBFS. */
  get levelDb(): number {
    return this.#levelDb;
  }

  /** Whether a typed sentence is being said. */
  get isReading(): boolean {
    return this.#typed.length > 0;
  }

  /** What the microphone has heard next. @param payload mu-law @param nowMs monotonic, as in {@link say} */
  heard(payload: Uint8Array, nowMs: number): void {
    this.#microphone.bring(payload, nowMs);
  }

  /** Has this said, after what is being read already. @param pcm 8000 Hz @param onSaid it has been said to its end */
  read(pcm: Int16Array, onSaid: () => void = () => {}): void {
    this.#typed.push(pcm);
    this.#readings.push({ endsAt: this.#read + this.#typed.length, onSaid });
  }

  /** The next 20 ms of mu-law. */
  say(nowMs: number): Uint8Array<ArrayBuffer> {
    const heard = this.#microphone.hear(nowMs);
    const pcm = this.isReading ? this.#readOn() : heard;
    const isSilent = this.isMuted && pcm === heard;
    this.#levelDb = isSilent ? -Infinity : levelDb(pcm);
    return isSilent ? new Uint8Array(FRAME_SAMPLES).fill(MULAW_SILENCE) : (encodeMulaw(pcm) as Uint8Array<ArrayBuffer>);
  }

  #readOn(): Int16Array {
    const pcm = this.#typed.take(FRAME_SAMPLES);
    this.#read += FRAME_SAMPLES;
    while (this.#readings[0] && this.#readings[0].endsAt <= this.#read) this.#readings.shift()?.onSaid();
    if (!this.isReading) this.#read = 0; // what comes next begins with a frame of its own
    return pcm;
  }
}
