import { type Frame, InputAudioFrame, OutputAudioFrame } from './frames/index.js';

/** Caller audio a stuck processor may fall behind by before the oldest is dropped, in milliseconds. */
export const MAX_WAITING_INPUT_MS = 30_000;
/** Bot audio that may wait for a processor before the oldest is dropped, in milliseconds. One frame may be longer. */
export const MAX_WAITING_OUTPUT_MS = 600_000;

type AudioKind = typeof InputAudioFrame | typeof OutputAudioFrame;

/** The frames of one direction that wait for a processor, in order. */
export class FrameQueue {
  isBusy = false;
  #frames: Frame[] = [];
  readonly #waitingMs = new Map<AudioKind, number>();

  /** False while frames wait. A field, because it is read for every frame, and the list then need not be. */
  isEmpty = true;

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.isEmpty = false;
    this.#count(frame, 1);
    if (frame instanceof InputAudioFrame) this.#dropOldest(InputAudioFrame, MAX_WAITING_INPUT_MS);
    else if (frame instanceof OutputAudioFrame) this.#dropOldest(OutputAudioFrame, MAX_WAITING_OUTPUT_MS);
  }

  shift(): Frame | undefined {
    const frame = this.#frames.shift();
    this.isEmpty = this.#frames.length === 0;
    if (frame) this.#count(frame, -1);
    return frame;
  }

  dropInterruptible(): void {
    this.#frames = this.#frames.filter((frame) => !frame.isInterruptible);
    this.isEmpty = this.#frames.length === 0;
    this.#waitingMs.clear();
    for (const frame of this.#frames) this.#count(frame, 1);
  }

  clear(): void {
    this.#frames = [];
    this.isEmpty = true;
    this.#waitingMs.clear();
  }

  #dropOldest(kind: AudioKind, limitMs: number): void {
    while ((this.#waitingMs.get(kind) ?? 0) > limitMs) {
      const oldest = this.#frames.findIndex((frame) => frame instanceof kind);
      if (oldest === this.#frames.length - 1) return;
      for (const dropped of this.#frames.splice(oldest, 1)) this.#count(dropped, -1);
    }
  }

  #count(frame: Frame, sign: 1 | -1): void {
    if (!(frame instanceof InputAudioFrame || frame instanceof OutputAudioFrame)) return;
    const kind = frame instanceof InputAudioFrame ? InputAudioFrame : OutputAudioFrame;
    const ms = (frame.pcm.length * 1_000) / frame.sampleRate;
    this.#waitingMs.set(kind, (this.#waitingMs.get(kind) ?? 0) + sign * ms);
  }
}
