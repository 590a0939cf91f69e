import { deferred } from '../../base/async/deferred.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  ControlFrame,
  type Frame,
  HoldSpeechFrame,
  InterruptionFrame,
  ResumeSpeechFrame,
} from '../pipeline/frames/index.js';

/** Stands in a pipeline behind something that is said. */
export class SpokenMark extends ControlFrame {
  readonly #heard = deferred<boolean>();
  wasInterrupted = false;

  /** Resolves when everything before it has been heard, with false when it was not heard to its end. */
  get heard(): Promise<boolean> {
    return this.#heard.promise;
  }

  settle(wasHeard: boolean): void {
    this.#heard.resolve(wasHeard && !this.wasInterrupted);
  }
}

/** Knows what the caller has heard, by what comes out of the transport's output. */
export class SpokenMarks {
  readonly #pending = new Set<SpokenMark>();
  /** Marks whose speech is being played. */
  #reached: SpokenMark[] = [];
  #isSpeaking = false;
  /** What is said waits, and has perhaps not begun to be heard. */
  #isHeld = false;
  #isOver = false;

  /** For a pipeline: goes behind what is said. */
  next(): SpokenMark {
    const mark = new SpokenMark();
    if (this.#isOver) mark.settle(false);
    else this.#pending.add(mark);
    return mark;
  }

  see(frame: Frame): void {
    if (frame instanceof InterruptionFrame) {
      for (const mark of this.#pending) mark.wasInterrupted = true;
      this.#goOn();
    } else if (frame instanceof HoldSpeechFrame) this.#isHeld = true;
    else if (frame instanceof ResumeSpeechFrame) this.#goOn();
    else if (frame instanceof BotStartedSpeakingFrame) this.#isSpeaking = true;
    else if (frame instanceof SpokenMark) this.#reach(frame);
    else if (frame instanceof BotStoppedSpeakingFrame) {
      this.#isSpeaking = false;
      this.#settleReached(!frame.wasInterrupted);
    }
  }

  #goOn(): void {
    this.#isHeld = false;
    if (!this.#isSpeaking) this.#settleReached(true);
  }

  #settleReached(wasHeard: boolean): void {
    for (const mark of this.#reached.splice(0)) this.#settle(mark, wasHeard);
  }

  /** Nothing more will be heard. */
  close(): void {
    this.#isOver = true;
    for (const mark of this.#pending) this.#settle(mark, false);
  }

  #reach(mark: SpokenMark): void {
    if (this.#isSpeaking || this.#isHeld) this.#reached.push(mark);
    else this.#settle(mark, true);
  }

  #settle(mark: SpokenMark, wasHeard: boolean): void {
    this.#pending.delete(mark);
    mark.settle(wasHeard);
  }
}
