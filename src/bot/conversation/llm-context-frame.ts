import { DataFrame, type Turn } from '../pipeline/frames/index.js';
import type { LLMContext } from './llm-context.js';

/** Asks the model for an answer to the context. Dropped by an interruption. */
export class LLMContextFrame extends DataFrame {
  constructor(
    readonly context: LLMContext,
    readonly turn: Turn,
  ) {
    super();
  }
}
