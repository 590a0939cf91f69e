import type { z } from 'zod';
import { aiPackage } from '../../bot/services/llm/ai-package.js';
import type { LanguageModel } from '../../bot/services/llm/language-model.js';

/** What a model is asked. */
export interface ModelTask<T> {
  readonly model: LanguageModel;
  /** Who the model is, and what it has to do. */
  readonly system: string;
  readonly prompt: string;
  /** What it has to answer. */
  readonly schema: z.ZodType<T>;
  readonly signal: AbortSignal;
}

/**
 * Asks a model for an object.
 * @throws VoicebotError VB_CONFIG_INVALID without the ai package; Error where the model gives no answer, or another than the schema has
 */
export async function modelAnswer<T>({ model, system, prompt, schema, signal }: ModelTask<T>): Promise<T> {
  const ai = await aiPackage();
  const answer = await ai.generateText({
    model: model as never,
    system,
    prompt,
    output: ai.Output.object({ schema }),
    abortSignal: signal,
  });
  return answer.output as T;
}

/** A talk as text, a line each. */
export const talkAsText = (talk: ReadonlyArray<{ readonly speaker: string; readonly text: string }>): string =>
  talk.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n') || '(neither side has said anything)';
