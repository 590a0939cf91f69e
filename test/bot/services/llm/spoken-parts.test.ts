import type { ModelPart } from '../../../../src/bot/services/llm/model-request.js';
import { spokenParts } from '../../../../src/bot/services/llm/spoken-parts.js';
import { ThinkTags } from '../../../../src/bot/services/llm/think-tags.js';

async function* of(...parts: ModelPart[]): AsyncGenerator<ModelPart, void> {
  yield* parts;
}

test('an answer that breaks off while the model may be thinking has no text', async () => {
  const failed = { type: 'failed', failure: { error: new Error('broken off') } } as unknown as ModelPart;
  const parts = of({ type: 'text', text: 'The user wants a refund.' }, failed);
  const spoken: ModelPart[] = [];
  for await (const part of spokenParts(parts, new ThinkTags(true))) spoken.push(part);
  expect(spoken).toEqual([failed]);
});
