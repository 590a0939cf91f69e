import type { AiPackage } from './ai-package.js';
import type { ResolvedLLMServiceOptions } from './llm-service-options.js';

/** How long a model may take that is asked whether it works again, in milliseconds. */
const PROBE_MS = 5_000;
/** Some vendors take no less. */
const PROBE_TOKENS = 16;

/** Asks a model for a word. Rejects when it does not answer. */
export async function probeModel(ai: AiPackage, { model, providerOptions }: ResolvedLLMServiceOptions): Promise<void> {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(new Error(`no answer within ${PROBE_MS} ms`)), PROBE_MS).unref();
  try {
    const { fullStream } = ai.streamText({
      model,
      messages: [{ role: 'user', content: 'Say yes.' }],
      maxOutputTokens: PROBE_TOKENS,
      providerOptions,
      maxRetries: 0,
      abortSignal: cut.signal,
      onError: () => {},
    } as unknown as Parameters<AiPackage['streamText']>[0]);
    for await (const part of fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw cut.signal.reason;
      if (part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'finish') return;
    }
    throw new Error('an empty answer');
  } finally {
    clearTimeout(timer);
    cut.abort();
  }
}
