import { cutLimits, shorten } from '../../base/audio/shorten.js';

/** Live audio is watched for this long before it counts as late, in milliseconds: longer than what its jitter takes. */
const WATCHED_MS = 200;
/** How much of this may be played at once, in milliseconds; a burst after a stall is not the pace of live audio. */
const JITTER_MS = 60;
/** What may wait without being late, in milliseconds: one frame. */
const TOLERATED_MS = 20;
/** What is left waiting, in milliseconds, so that the next frame finds the one before it still playing. */
const KEPT_MS = 5;
/** How much faster late audio is played, as a part of it; silence goes as fast as it can be cut. */
const FASTER = 0.2;
/** How long a stall may not come again after audio was brought back to its time, in milliseconds: where it does, the link needs what waits. Doubles each time. */
const FIRST_PATIENCE_MS = 10_000;
const LONGEST_PATIENCE_MS = 300_000;
/** Nothing above this is a voice, of 32767: about -50 dBFS. */
const SILENT = 100;

/**
 * Brings live audio back to its time after a stall. What came in a burst waits ahead of all that follows, here or at the
 * far end: as long as more is waiting than live audio needs, frames are made shorter on their way.
 */
export class CatchUp {
  /** When the watched time began; 0 when none has. */
  #since = 0;
  #heardMs = 0;
  /** The least that waited at any moment of the watched time: what live audio did not need. */
  #leastMs = Number.POSITIVE_INFINITY;
  #lateMs = 0;
  /** Audio that is late before this keeps waiting. */
  #patientUntil = Number.NEGATIVE_INFINITY;
  #patienceMs = FIRST_PATIENCE_MS;
  /** How much may be cut by now, in samples. */
  #allowance = 0;
  readonly #shortest: number;
  readonly #longest: number;

  constructor(
    private readonly sampleRate: number,
    private readonly frameSamples: number,
  ) {
    const { shortest, longest } = cutLimits(sampleRate);
    this.#shortest = shortest;
    this.#longest = longest;
  }

  /**
   * The next frame of live audio, shortened when it is late.
   * @param waitingMs audio before it that has not been played
   * @param unfinished samples before it that do not make a whole frame yet
   * @param now monotonic, in milliseconds
   */
  pass(frame: Int16Array, waitingMs: number, unfinished: number, now: number): Int16Array {
    this.#watch((frame.length * 1_000) / this.sampleRate, waitingMs, now);
    if ((this.#lateMs <= 0 && unfinished === 0) || frame.length < this.frameSamples) return frame;
    this.#allowance += frame.length * FASTER;
    const isQuiet = isSilent(frame);
    if (this.#allowance < this.#longest && !isQuiet) return frame;
    // In the end exactly what is unfinished goes, so that frames pass whole again.
    const longest = this.#lateMs > 0 ? this.#longest : Math.min(unfinished, this.#longest);
    const shortest = isQuiet || longest === unfinished ? longest : this.#shortest;
    const shortened = shorten(frame, this.sampleRate, shortest, longest);
    const cut = frame.length - shortened.length;
    this.#allowance = Math.max(0, this.#allowance - cut);
    this.#lateMs -= (cut * 1_000) / this.sampleRate;
    return shortened;
  }

  /** What comes next does not continue live audio. */
  reset(): void {
    this.#since = 0;
    this.#lateMs = 0;
    this.#allowance = 0;
  }

  #watch(frameMs: number, waitingMs: number, now: number): void {
    const watchedMs = now - this.#since;
    if (this.#since > 0 && watchedMs < WATCHED_MS) {
      this.#heardMs += frameMs;
      this.#leastMs = Math.min(this.#leastMs, waitingMs);
      return;
    }
    const isLive = this.#since > 0 && this.#heardMs <= watchedMs + JITTER_MS;
    const isLate = isLive && this.#leastMs > TOLERATED_MS && (this.#lateMs > 0 || this.#begins(now));
    this.#lateMs = isLate ? this.#leastMs - KEPT_MS : 0;
    this.#since = now;
    this.#heardMs = frameMs;
    this.#leastMs = waitingMs;
  }

  /** Whether late audio may be brought back to its time. */
  #begins(now: number): boolean {
    if (now < this.#patientUntil) return false;
    const isRare = now >= this.#patientUntil + LONGEST_PATIENCE_MS;
    this.#patienceMs = isRare ? FIRST_PATIENCE_MS : Math.min(2 * this.#patienceMs, LONGEST_PATIENCE_MS);
    this.#patientUntil = now + this.#patienceMs;
    return true;
  }
}

function isSilent(pcm: Int16Array): boolean {
  return pcm.every((sample) => Math.abs(sample) <= SILENT);
}
