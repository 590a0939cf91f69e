import {
  CallerMutedFrame,
  EndOfTurnFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  type LateWords,
  SpeechLanguageFrame,
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
  /** Another language is spoken from here on. @returns what is wrong with that */
  speak(language: string): Error | undefined;
}

/** A session at the place of speech to text: it hears the caller, and tells their words. */
export class LiveEars extends FrameProcessor implements CallerItemsListener {
  #hasInterim = false;
  #isOver = false;
  #language: string | undefined;
  /** Turns whose words others have told. */
  readonly #known = new WeakSet<Turn>();

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
    if (frame instanceof StartFrame) this.#start(frame);
    else if (frame instanceof SpeechLanguageFrame) this.#speak(frame.language);
    else if (frame instanceof InputAudioFrame && !this.#isOver) this.hearing.write(frame.pcm);
  }

  #start(frame: StartFrame): void {
    this.hearing.start(frame);
    if (this.#language !== undefined) this.#speak(this.#language);
  }

  #speak(language: string): void {
    this.#language = language;
    const problem = this.#isOver ? undefined : this.hearing.speak(language);
    if (problem) this.broadcast(() => new ErrorFrame(problem, false, this.name));
  }

  /** Others hear from now on: tells nothing more. */
  close(): void {
    this.interim('');
    this.#isOver = true;
  }

  /** Others have told the words that a turn answers. */
  knowsWords(turn: Turn): void {
    this.#known.add(turn);
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

  late(text: string, late: LateWords): void {
    this.#hasInterim = false;
    if (this.#isOver || this.#known.has(late.turn)) return;
    if (text !== '' || late.all?.words) this.push(new TranscriptionFrame(text, true, undefined, undefined, late));
  }
}
