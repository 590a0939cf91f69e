import { FRAME_MS } from '../../../base/audio/frame.js';

/** How long what waits is watched before it counts as needless, in milliseconds. */
const WATCHED_MS = 1_000;
/** What may wait at all times without being late, in milliseconds: two frames, the jitter of a good line. */
const TOLERATED_MS = 2 * FRAME_MS;
/** What is left waiting, in milliseconds. */
const KEPT_MS = FRAME_MS;
/** More than this is a burst after a stall, and late at once, in milliseconds. */
const BURST_MS = 300;
/** How long a frame of silence is waited for, to be left out in place of one of a voice, in milliseconds. */
const PATIENCE_MS = 2_000;
/** As many acknowledgements in a row say how much waits at the far end: with fewer, the jitter of a line would be taken for it. */
const WATCHED_ACKS = 6;

/**
 * What waits for a listener, here and at the far end, of sound that is passed on live: it would delay all that follows for good. Where more
 * waits than the line needs, because of a stall or because two clocks differ, it says which frames are left out.
 */
export class EarBacklog {
  #since = Number.NEGATIVE_INFINITY;
  /** The least that waited at any moment of the watched time, in milliseconds. */
  #leastMs = Number.POSITIVE_INFINITY;
  /** To be left out, in milliseconds. */
  #excessMs = 0;
  #excessSince = 0;
  /** How much had gone out behind a mark when it came back, in milliseconds: of the last few marks. */
  #behindMarks: number[] = [];
  /** The least of these: what the way there and back takes. */
  #wayMs = Number.POSITIVE_INFINITY;
  /** Something was left out because of marks, and it is not known yet whether that has helped. */
  #isTrying = false;

  /**
   * Whether the next frame is left out.
   * @param waitingMs of audio before it, by our clock
   * @param isQuiet it holds no voice
   * @param now monotonic, in milliseconds
   */
  leavesOut(waitingMs: number, isQuiet: boolean, now: number): boolean {
    if (waitingMs > BURST_MS) this.#exceed(waitingMs - KEPT_MS, now - PATIENCE_MS);
    if (now - this.#since >= WATCHED_MS) {
      if (Number.isFinite(this.#leastMs)) {
        if (this.#leastMs > TOLERATED_MS) this.#exceed(this.#leastMs - KEPT_MS, now);
      }
      this.#since = now;
      this.#leastMs = Number.POSITIVE_INFINITY;
    }
    this.#leastMs = Math.min(this.#leastMs, waitingMs);
    if (this.#excessMs < FRAME_MS) return false;
    if (!isQuiet && now - this.#excessSince < PATIENCE_MS) return false;
    this.#excessMs -= FRAME_MS;
    this.#leastMs -= FRAME_MS;
    return true;
  }

  /** A mark has come back. @param behindMs audio that has gone out since it was set, in milliseconds: with the far end's clock what waits there shows */
  acknowledged(behindMs: number, now: number): void {
    this.#behindMarks = [...this.#behindMarks, behindMs].slice(-WATCHED_ACKS);
    const leastMs = Math.min(...this.#behindMarks);
    this.#wayMs = Math.min(this.#wayMs, leastMs);
    if (this.#behindMarks.length < WATCHED_ACKS) return;
    const isLate = leastMs - this.#wayMs > TOLERATED_MS;
    const wasInVain = isLate && this.#isTrying;
    if (wasInVain)
      this.#wayMs = leastMs; // it has become longer: nothing waits there
    else if (isLate) this.#exceed(leastMs - this.#wayMs - KEPT_MS, now);
    this.#isTrying = isLate && !wasInVain;
    if (isLate) this.#behindMarks = [];
  }

  #exceed(ms: number, since: number): void {
    if (this.#excessMs < FRAME_MS) this.#excessSince = since;
    this.#excessMs = Math.max(this.#excessMs, ms);
    this.#excessSince = Math.min(this.#excessSince, since);
  }
}
