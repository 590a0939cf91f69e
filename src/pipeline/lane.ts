import { type Frame, InputAudioFrame } from '../frames/index.js';

/** Caller audio a stuck processor may fall behind by before the oldest is dropped, in milliseconds. */
export const MAX_WAITING_AUDIO_MS = 30_000;

/** The frames of one direction that wait for a processor, in order. */
export class Lane {
  isBusy = false;
  /** Caller audio dropped because the processor fell too far behind. */
  droppedFrames = 0;
  #frames: Frame[] = [];
  #audioMs = 0;

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#audioMs += audioMs(frame);
    while (this.#audioMs > MAX_WAITING_AUDIO_MS) this.#dropOldestAudio();
  }

  shift(): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame) this.#audioMs -= audioMs(frame);
    return frame;
  }

  dropInterruptible(): void {
    this.#frames = this.#frames.filter((frame) => !frame.isInterruptible);
  }

  clear(): void {
    this.#frames = [];
    this.#audioMs = 0;
  }

  #dropOldestAudio(): void {
    const oldest = this.#frames.findIndex((frame) => frame instanceof InputAudioFrame);
    const [dropped] = this.#frames.splice(oldest, 1);
    if (dropped) this.#audioMs -= audioMs(dropped);
    this.droppedFrames += 1;
  }
}

function audioMs(frame: Frame): number {
  return frame instanceof InputAudioFrame ? (frame.pcm.length * 1_000) / frame.sampleRate : 0;
}
