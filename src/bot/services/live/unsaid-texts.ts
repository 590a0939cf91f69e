import type { TTSSpeakFrame, Utterance } from '../../pipeline/frames/index.js';
import { UnsaidFrame } from './unsaid-frame.js';

/** Texts that a session has not said yet: code that waits for one is told also when an interruption drops it. */
export class UnsaidTexts {
  readonly #frames = new Set<TTSSpeakFrame>();

  add(frame: TTSSpeakFrame): void {
    this.#frames.add(frame);
  }

  /** It is over, said or not. */
  settle(frame: TTSSpeakFrame): void {
    this.#frames.delete(frame);
    frame.settle();
  }

  settleAll(): void {
    for (const frame of this.#frames) this.settle(frame);
  }

  /** A cascade is to say it. @param utterance what there is of it, where it has begun @returns what asks for that */
  handOn(frame: TTSSpeakFrame, utterance?: Utterance): UnsaidFrame {
    void frame.synthesised.then(() => this.#frames.delete(frame));
    return new UnsaidFrame(frame, utterance);
  }
}
