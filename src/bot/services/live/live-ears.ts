import {
  CallerMutedFrame,
  EndOfTurnFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
  type Turn,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import type { CallerItemsListener } from './caller-items.js';

/** What a session is told of the caller. */
export interface LiveHearing {
  /** How the pipeline starts. */
  start(frame: StartFrame): void;
  write(pcm: Int16Array): void;
  mute(isMuted: boolean): void;
}

/** A session at the place of speech to text: it hears the caller, and tells their words. */
export class LiveEars extends FrameProcessor implements CallerItemsListener {
  #hasInterim = false;
  #isOver = false;

  /** @param takesTurns the model decides itself whose turn it is */
  constructor(
    private readonly hearing: LiveHearing,
    private readonly takesTurns = false,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) {
      frame.modelHears = true;
      frame.modelTakesTurns = this.takesTurns;
    }
    if (frame instanceof CallerMutedFrame && !this.#isOver) this.hearing.mute(frame.isMuted);
    this.push(frame, direction);
    if (frame instanceof StartFrame) this.hearing.start(frame);
    else if (frame instanceof InputAudioFrame && !this.#isOver) this.hearing.write(frame.pcm);
  }

  /** Others hear from now on: tells nothing more. */
  close(): void {
    this.interim('');
    this.#isOver = true;
  }

  interim(text: string): void {
    if (this.#isOver || (text === '' && !this.#hasInterim)) return;
    this.#hasInterim = text !== '';
    this.push(new InterimTranscriptionFrame(text));
  }

  final(text: string): void {
    if (text === '') this.interim('');
    else if (!this.#isOver) {
      this.#hasInterim = false;
      this.push(new TranscriptionFrame(text, true));
    }
  }

  /** The model has begun to speak. */
  taken(): void {
    if (!this.#isOver) this.push(new EndOfTurnFrame('taken'));
  }

  late(turn: Turn, text: string, instead: string): void {
    this.#hasInterim = false;
    if (text !== '' && !this.#isOver)
      this.push(new TranscriptionFrame(text, true, undefined, undefined, { turn, instead }));
  }
}
