import type { FrameProcessor } from '../../pipeline/index.js';
import type { LiveService } from '../../services/live/live-service.js';
import type { LLMService } from '../../services/llm/index.js';

/** What a bot with a realtime model is made of in one call. */
export interface LiveParts {
  /** In order, before the conversation. */
  readonly ears: readonly FrameProcessor[];
  /** Undefined where stand-ins serve the call. */
  readonly live: LiveService | undefined;
  /** The model's part of the conversation, where that is one of its own. */
  readonly llm: LLMService | undefined;
  /** What runs the functions of the model, where that is not {@link llm}. */
  readonly functions: Pick<LLMService, 'functionsUnderWay'> | undefined;
  /** Why the realtime model cannot call functions, and what to set; undefined where it can. The same with stand-ins. */
  readonly lacksFunctions?: string | undefined;
  /** In order, behind the conversation. */
  readonly voice: readonly FrameProcessor[];
}

/** At most one processor, as a list. */
export const listOf = (made: FrameProcessor | undefined): FrameProcessor[] => (made ? [made] : []);
