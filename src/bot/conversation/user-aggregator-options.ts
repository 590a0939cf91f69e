import type { CreateVoiceDetector } from '../../base/audio/voice-detector.js';
import type { ProviderError } from '../../base/provider-error.js';
import type { OutputAudioFrame, Turn } from '../pipeline/frames/index.js';
import type { CallerSignsOptions } from './caller-signs.js';
import type { EarlyQuestions } from './early-question.js';
import type { LLMContext } from './llm-context.js';
import type { TurnTakingOptions } from './turn-options.js';

/** When the caller is not listened to: while the bot greets, or while functions run. */
export type MuteReason = 'greeting' | 'functions';

export interface UserAggregatorOptions extends TurnTakingOptions, CallerSignsOptions {
  readonly context: LLMContext;
  readonly createDetector: CreateVoiceDetector;
  readonly greeting: string | undefined;
  readonly greetsByItself: boolean;
  readonly mute: readonly MuteReason[];
  /** How long the caller waits for an answer before the wait message, in milliseconds; 0 means for ever. */
  readonly holdAfterMs: number;
  holdLine(): OutputAudioFrame;
  apology(): OutputAudioFrame;
  /** What happens after the apology. @returns whether the caller is with another person now */
  afterApology(): Promise<boolean>;
}

export interface UserAggregatorListener {
  /** A turn of the bot has been said, or was interrupted. */
  turnOver(turn: Turn, wasInterrupted: boolean, early: EarlyQuestions | undefined): void;
  callerSaid(text: string): void;
  bargedIn(): void;
  failed(error: ProviderError): void;
  /** The model is asked nothing more. */
  stopped(): void;
}
