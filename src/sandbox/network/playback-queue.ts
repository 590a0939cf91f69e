import { decodeMulaw, encodeMulaw } from '../../base/audio/mulaw.js';
import { FRAME_BYTES, SILENCE } from './frame.js';

/** 5 ms. */
const FADE_SAMPLES = 40;

interface QueueMark {
  /** Position in the stream of all bytes ever queued. */
  readonly at: number;
  readonly settle: (played: boolean) => void;
}

/**
 * The audio that one phone is going to hear: mu-law bytes in order, handed out one 20 ms frame per tick. A mark settles when
 * everything queued before it has been played to its last sample, that is one tick after its frame was handed out.
 */
export class PlaybackQueue {
  #chunks: Uint8Array[] = [];
  /** Bytes of the first chunk that are already handed out. */
  #offset = 0;
  #pushed = 0;
  #handedOut = 0;
  #marks: QueueMark[] = [];

  /** Bytes not yet handed out. */
  get queuedBytes(): number {
    return this.#pushed - this.#handedOut;
  }

  get pendingMarks(): number {
    return this.#marks.length;
  }

  push(payload: Uint8Array): void {
    if (payload.length === 0) return;
    this.#chunks.push(payload);
    this.#pushed += payload.length;
  }

  /** `settle` gets true when the audio queued so far has been played, false when it is dropped by {@link clear}. */
  mark(settle: (played: boolean) => void): void {
    this.#marks.push({ at: this.#pushed, settle });
  }

  /** Resolves when the audio queued so far has been played or dropped. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.mark(() => resolve()));
  }

  /** Drops everything not yet handed out. */
  clear(): void {
    this.#chunks = [];
    this.#offset = 0;
    this.#pushed = this.#handedOut;
    for (const mark of this.#marks.splice(0)) mark.settle(false);
  }

  /** As {@link clear}, but the next 5 ms are still played and fade: sound that stops at once clicks. */
  fadeOut(): void {
    const { queuedBytes } = this;
    const frame = this.#assemble();
    const tail = decodeMulaw(frame.subarray(0, FADE_SAMPLES)).map((sample, n) => sample * (1 - (n + 1) / FADE_SAMPLES));
    frame.set(SILENCE);
    frame.set(encodeMulaw(tail));
    this.clear();
    if (queuedBytes > 0) this.push(frame);
  }

  /** The next frame: always 160 bytes, padded with silence. The caller must not write to it. */
  next(): Uint8Array {
    this.#settlePlayedMarks();
    const first = this.#chunks[0];
    if (!first) return SILENCE;
    if (this.#offset === 0 && first.length === FRAME_BYTES) {
      this.#chunks.shift();
      this.#handedOut += FRAME_BYTES;
      return first;
    }
    return this.#assemble();
  }

  #settlePlayedMarks(): void {
    for (let mark = this.#marks[0]; mark && mark.at <= this.#handedOut; mark = this.#marks[0]) {
      this.#marks.shift();
      mark.settle(true);
    }
  }

  #assemble(): Uint8Array {
    const frame = new Uint8Array(SILENCE);
    let filled = 0;
    for (let chunk = this.#chunks[0]; chunk && filled < FRAME_BYTES; chunk = this.#chunks[0]) {
      const piece = chunk.subarray(this.#offset, this.#offset + FRAME_BYTES - filled);
      frame.set(piece, filled);
      filled += piece.length;
      this.#offset += piece.length;
      if (this.#offset === chunk.length) {
        this.#chunks.shift();
        this.#offset = 0;
      }
    }
    this.#handedOut += filled;
    return frame;
  }
}
