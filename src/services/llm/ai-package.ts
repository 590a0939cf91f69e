import { VoicebotError } from '../../errors.js';

export type AiPackage = typeof import('ai');

/**
 * Loads the `ai` package, which users install beside us.
 * @throws VoicebotError VB_CONFIG_INVALID when it is not there, or is too old
 */
export async function loadAiPackage(load: () => Promise<AiPackage> = () => import('ai')): Promise<AiPackage> {
  const ai = await load().catch((cause: unknown) => {
    throw new VoicebotError('VB_CONFIG_INVALID', 'a language model needs the ai package, which cannot be loaded', {
      hint: 'npm install ai @ai-sdk/openai',
      cause,
    });
  });
  // `streamText` came with version 3.1, JSON schemas for it with 4, the form of messages we send with 5
  if (typeof ai.streamText === 'function' && typeof ai.stepCountIs === 'function') return ai;
  throw new VoicebotError('VB_CONFIG_INVALID', 'a language model needs version 6 of the ai package', {
    hint: 'npm install ai@6',
  });
}
