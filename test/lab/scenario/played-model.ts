import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that answers these texts, one after the other; `asked` has what it was asked. */
export function playedModel(...texts: readonly string[]) {
  const left = [...texts];
  const asked: string[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      asked.push(JSON.stringify(prompt));
      return {
        content: [{ type: 'text', text: left.shift() ?? '' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      };
    },
  });
  return { model, asked };
}
