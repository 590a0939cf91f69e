import type { TurnReport } from '../../call/turn-report.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  type Frame,
  type FrameDirection,
  HoldSpeechFrame,
  InterruptionFrame,
  LLMTextFrame,
  ResumeSpeechFrame,
  SpeechHeardFrame,
  SpeechLanguageFrame,
  TTSStartedFrame,
  TTSTextFrame,
  type Turn,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { FlushMarkerFrame, TurnEndFrame, TurnPlayedFrame, WaitMessageFrame } from './conversation-frames.js';
import type { LLMContext } from './llm-context.js';

/** Behind the transport's output: writes into the context what the caller has heard of the bot's speech. */
export class AssistantAggregator extends FrameProcessor {
  #isSpeaking = false;
  /** What the bot says waits, and has perhaps not begun to be heard. */
  #isHeld = false;
  /** Turns whose audio is still being played. */
  #turns: Turn[] = [];

  constructor(
    private readonly context: LLMContext,
    private readonly onSaid: (text: string, wasInterrupted: boolean) => void,
    private readonly onLanguage: (language: string) => void,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof SpeechHeardFrame) this.#noteHeard(frame);
    else if (frame instanceof TurnEndFrame) this.#endTurn(frame.turn);
    else if (frame instanceof FlushMarkerFrame) frame.passed.resolve();
    else if (frame instanceof InterruptionFrame) this.#onInterrupted();
    else if (frame instanceof HoldSpeechFrame) this.#isHeld = true;
    else if (frame instanceof ResumeSpeechFrame) this.#onResumed();
    else if (frame instanceof BotStartedSpeakingFrame) this.#isSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#onStopped();
    else if (frame instanceof SpeechLanguageFrame) this.onLanguage(frame.language);
    else if (frame instanceof WaitMessageFrame) this.push(frame.audio, 'upstream');
    else if (frame instanceof TTSStartedFrame || frame instanceof TTSTextFrame) this.#noteOwnWords(frame);
    if (frame instanceof TurnEndFrame || frame instanceof WaitMessageFrame || frame instanceof LLMTextFrame) return;
    this.push(frame, direction);
  }

  /** Notes a turn in the call's timeline. @returns false where there is none */
  noteTurn(report: TurnReport, startedAt: number): boolean {
    this.timeline?.note({ type: 'turn_ended', startedAt, ...report });
    return this.timeline !== undefined;
  }

  #noteHeard({ utterance, text, wasInterrupted }: SpeechHeardFrame): void {
    this.context.heard(utterance, text, wasInterrupted);
    if (text !== '') this.onSaid(text, wasInterrupted);
  }

  #endTurn(turn: Turn): void {
    if (this.#isSpeaking || this.#isHeld) this.#turns.push(turn);
    else this.push(new TurnPlayedFrame(turn), 'upstream');
  }

  #onInterrupted(): void {
    this.context.settle(); // what was heard has been told before
    this.#onResumed();
  }

  /** What waited is being said now, or was dropped. */
  #onResumed(): void {
    this.#isHeld = false;
    if (!this.#isSpeaking) this.#onStopped();
  }

  #onStopped(): void {
    this.#isSpeaking = false;
    for (const turn of this.#turns.splice(0)) this.#endTurn(turn);
  }

  /** What the model writes is in the context already. */
  #noteOwnWords(frame: TTSStartedFrame | TTSTextFrame): void {
    const { utterance } = frame;
    if (utterance.response || !utterance.appendToContext) return;
    if (frame instanceof TTSStartedFrame) this.context.beginSpeech(utterance);
    else this.context.addSpeech(utterance, frame.text);
  }
}
