import type { LLMContext } from '../../conversation/llm-context.js';
import type { Turn } from '../../pipeline/frames/index.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import type { LLMService } from '../llm/index.js';
import type { SlowAnswer } from './slow-answer.js';

/** The place of a realtime model behind the conversation: where the model's answers and what the bot says become sound. */
export interface LiveSpeaker extends FrameProcessor {
  /**
   * Undefined when no function of the model runs that the end of the call has to wait for; else resolves when none does any more,
   * and after ten seconds at the latest. A function that asks does not wait for itself.
   */
  functionsUnderWay(): Promise<void> | undefined;
}

/**
 * What a realtime model is in one call: one session, seen in two places of the pipeline. Our conversation stands between them and
 * decides whose turn it is.
 *
 *     input, ears, conversation.user(), speaker, (a voice), output, conversation.assistant()
 */
export interface LiveService {
  /** Goes where speech to text goes: the caller's sound to the session, and their words as it tells them. */
  readonly ears: FrameProcessor;
  /**
   * Goes behind the conversation, and before the voice, where there is one: takes every `LLMContextFrame`, and says what the model
   * answers. What the bot wants said as it stands (`TTSSpeakFrame`) it has the session say, or hands on to the voice.
   */
  readonly speaker: LiveSpeaker;
  /** The conversation begins: the session may get ready for it. Otherwise it does so when it is first asked. */
  introduce(context: LLMContext): void;
  /** Who is told when it has not begun to answer in its time; one that takes its turns itself tells nothing. */
  onSlow(listener: (slow: SlowAnswer) => void): void;
  /** Others have told the caller's words that a turn answers: it tells no more of them. */
  knowsWords(turn: Turn): void;
  /** Others go on in its place: it hears and tells nothing more, and what it has not said to its end is handed on. */
  giveUp(): void;
}

/** How a live service is put together. */
export interface LiveScene {
  /** A voice stands behind it, and says what the bot wants said word for word. */
  readonly hasVoice: boolean;
  /** What a model that takes its turns itself hands work to. */
  readonly delegate?: LLMService | undefined;
}
