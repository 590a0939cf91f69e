import { VoicebotError } from '../../../base/errors.js';
import { importOptionalPackage } from '../../../base/optional-package.js';
import type { LanguageModel } from './language-model.js';

export type AiPackage = typeof import('ai');

let ready: Promise<AiPackage> | undefined;

/**
 * The `ai` package, which users install beside us: loaded once in a process, and warm.
 * @throws VoicebotError VB_CONFIG_INVALID when it is not there, or is too old
 */
export function aiPackage(): Promise<AiPackage> {
  ready ??= loadAiPackage().then(async (ai) => {
    await warmUp(ai).catch(() => {});
    return ai;
  });
  return ready;
}

/** @throws VoicebotError VB_CONFIG_INVALID when it is not there, or is too old */
export async function loadAiPackage(load = () => importOptionalPackage('ai')): Promise<AiPackage> {
  const ai = await (load() as Promise<AiPackage>).catch((cause: unknown) => {
    throw new VoicebotError('VB_CONFIG_INVALID', 'a language model needs the ai package, which cannot be loaded', {
      hint: 'npm install ai @ai-sdk/openai',
      cause,
    });
  });
  // `ToolLoopAgent` came with version 6
  if (typeof ai.streamText === 'function' && typeof ai.ToolLoopAgent === 'function') return ai;
  throw new VoicebotError('VB_CONFIG_INVALID', 'a language model needs version 6 or 7 of the ai package', {
    hint: 'npm install ai@6, or ai@7 on Node.js 22 and newer',
  });
}

/**
 * Has the package answer once without a network. The first answer of a process takes it a quarter of a second longer than
 * the ones after, for its checks are made when they are first used, and Node loads `fetch` then.
 */
async function warmUp(ai: AiPackage): Promise<void> {
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Yes.' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
  const model: LanguageModel & { supportedUrls: object } = {
    specificationVersion: 'v3',
    provider: 'voicebot',
    modelId: 'warm-up',
    supportedUrls: {},
    doStream: async () => ({ stream: ReadableStream.from(parts) }),
  };
  const inputSchema = ai.jsonSchema({ type: 'object', properties: {} });
  const { fullStream } = ai.streamText({
    model: model as never,
    system: 'Answer.',
    messages: [{ role: 'user', content: 'Hello?' }],
    tools: { nothing: { inputSchema } },
    onError: () => {},
  });
  for await (const _ of fullStream);
  await fetch('data:text/event-stream,').then((response) => response.text());
}
