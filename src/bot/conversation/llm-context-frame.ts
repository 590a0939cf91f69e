import { DataFrame, type Turn } from '../pipeline/frames/index.js';
import type { LLMContext } from './llm-context.js';

/** @internal Another model was asked the same: the one that begins first answers. */
export interface AnswerContest {
  /** Aborted when the other one has begun. */
  readonly lost: AbortSignal;
  /** This one begins to answer, and does so unless it has lost. May be called again. */
  wins(): void;
}

/** Asks the model for an answer to the context. Dropped by an interruption. */
export class LLMContextFrame extends DataFrame {
  /** @internal */
  contest: AnswerContest | undefined;

  constructor(
    readonly context: LLMContext,
    readonly turn: Turn,
  ) {
    super();
  }
}
