import { Resampler } from '../../../base/audio/resampler.js';
import { SampleQueue } from '../../../base/audio/sample-queue.js';
import { shorten } from '../../../base/audio/shorten.js';
import { crossFaded, fadedFrom } from './joints.js';

/** Most that waits, in frames: as many as a line may deliver at once. */
const MOST_FRAMES = 10;
/** What waits before a voice that was silent, or late, begins again, in frames: its jitter. */
const FIRST_FRAMES = 2;
/** How long what waits must have been needless before some of it is cut, in frames taken. */
const WINDOW = 50;
/** How long the rest of a voice that comes too late fades, and its beginning, in milliseconds. */
const FADE_MS = 4;

/** The sound of a peer on its way to one listener, at the listener's rate: what waits for the frames of another peer, whose clock differs. */
export class PeerSound {
  readonly #queue = new SampleQueue();
  readonly #resampler: Resampler | undefined;
  #isStarved = true;
  /** The last sample that was taken; 0 where it has faded. */
  #last = 0;
  #taken = 0;
  #least = Number.POSITIVE_INFINITY;
  /** How far into what waits there is something that no recording is to have, in samples. */
  #unkept = 0;

  /** Rates in hertz. @param frame samples of a frame of the listener's */
  constructor(
    fromRate: number,
    private readonly rate: number,
    private readonly frame: number,
  ) {
    if (fromRate !== rate) this.#resampler = new Resampler(fromRate, rate);
  }

  /** Samples that wait. */
  get length(): number {
    return this.#queue.length;
  }

  /** @param pcm at the peer's rate; a peer whose rate is the listener's gives it as it is */
  convert(pcm: Int16Array): Int16Array {
    return this.#resampler ? this.#resampler.process(pcm) : pcm;
  }

  /** Whether what is taken next may be recorded. */
  get isKept(): boolean {
    return this.#unkept === 0;
  }

  /** @param isKept whether it may be recorded */
  push(converted: Int16Array, isKept = true): void {
    this.#queue.push(converted);
    this.#drop(this.#queue.length - MOST_FRAMES * this.frame);
    if (!isKept) this.#unkept = this.#queue.length;
  }

  /** All that waits. */
  takeAll(): Int16Array {
    this.#unkept = 0;
    return this.passed(this.#queue.take(this.#queue.length));
  }

  /** The listener has had this, which has not waited. @returns the same */
  passed(converted: Int16Array): Int16Array {
    this.#isStarved = false;
    this.#last = converted.at(-1) ?? this.#last;
    return converted;
  }

  /** The listener has had silence since the last samples: nothing of them is left to fade. */
  ranDry(): void {
    this.#last = 0;
  }

  /** The next samples; undefined while too few wait. What comes too late fades out, and fades in again. */
  take(samples: number): Int16Array | undefined {
    if (this.#isStarved && this.#queue.length < samples + (FIRST_FRAMES - 1) * this.frame) return this.#fading(samples);
    this.#cut(samples);
    const waiting = this.#queue.length;
    const hasBegun = this.#isStarved;
    this.#isStarved = waiting < samples;
    if (waiting === 0) return this.#fading(samples);
    const next = this.#queue.take(samples);
    this.#unkept = this.#queue.length === 0 ? 0 : Math.max(0, this.#unkept - samples);
    this.#last = this.#isStarved ? 0 : (next.at(-1) as number);
    return hasBegun || this.#isStarved ? this.#faded(next, hasBegun, waiting) : next;
  }

  /** A voice that has broken off at the end of a frame. */
  #fading(samples: number): Int16Array | undefined {
    const last = this.#last;
    this.#last = 0;
    return last === 0 ? undefined : fadedFrom(last, samples);
  }

  /** Others have the same samples: the faded ones are a copy. @param waiting how many of them are of the voice */
  #faded(next: Int16Array, hasBegun: boolean, waiting: number): Int16Array {
    const sounding = Math.min(waiting, next.length);
    const fade = Math.min((FADE_MS * this.rate) / 1_000, sounding);
    return next.map((sample, at) => {
      const begun = hasBegun ? Math.min(1, at / fade) : 1;
      const left = this.#isStarved ? Math.max(0, Math.min(1, (sounding - 1 - at) / fade)) : 1;
      return Math.round(sample * begun * left);
    });
  }

  /** The oldest samples, of more than can wait, without a click. */
  #drop(samples: number): void {
    if (samples <= 0) return;
    const all = this.#queue.take(this.#queue.length);
    const next = all.subarray(samples);
    const joint = crossFaded(all.subarray(0, this.frame), next.subarray(0, this.frame), this.rate);
    this.#queue.putBack([joint, next.subarray(this.frame)]);
  }

  /** What has waited needlessly for a second is made shorter, without a click. */
  #cut(samples: number): void {
    this.#least = Math.min(this.#least, this.#queue.length - samples);
    this.#taken += 1;
    if (this.#taken < WINDOW) return;
    const isLate = this.#least > this.frame;
    this.#taken = 0;
    this.#least = Number.POSITIVE_INFINITY;
    if (!isLate || this.#queue.length < 2 * this.frame) return;
    const longest = this.frame / 2;
    this.#queue.putBack([shorten(this.#queue.take(2 * this.frame), this.rate, longest, longest)]);
  }
}
