import { createOpenAI } from '@ai-sdk/openai-3';
import type { AiPackage } from '../../../../src/bot/services/llm/ai-package.js';
import type { LanguageModel, LLMServiceOptions } from '../../../../src/bot/services/llm/index.js';
import { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { withOtherPackages } from '../../../jest/other-packages.js';

// What the compiler says of version 6: its models are taken, and what the code calls of the package is there.
type Ai6 = typeof import('ai-6');
type Called = 'streamText' | 'tool' | 'jsonSchema' | 'ToolLoopAgent';
const called: readonly (keyof Ai6 & keyof AiPackage & Called)[] = ['streamText', 'tool', 'jsonSchema', 'ToolLoopAgent'];
const model: LanguageModel & LLMServiceOptions['model'] = createOpenAI({ apiKey: 'key' })('gpt-4.1-mini');

test('a model of version 6 answers with version 6 of the ai package, and a voice that streams is refused there', async () => {
  expect([called.length, model.specificationVersion]).toEqual([4, 'v3']);
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Hello, this is the bakery.' } });
  const told = await withOtherPackages(
    { ai: `export * from '${import.meta.resolve('ai-6')}'` },
    `
      import { createOpenAI } from '@ai-sdk/openai-3';
      import { LLMContextFrame } from 'dist/bot/conversation/llm-context-frame.js';
      import { LLMContext } from 'dist/bot/conversation/llm-context.js';
      import { ErrorFrame, LLMTextFrame, StartFrame, Turn } from 'dist/bot/pipeline/frames/index.js';
      import { FrameProcessor } from 'dist/bot/pipeline/index.js';
      import { LLMService } from 'dist/bot/services/llm/index.js';
      import { AiTTS } from 'dist/bot/services/tts/from-ai.js';
      class Ears extends FrameProcessor {
        process(frame) {
          if (frame instanceof LLMTextFrame) tell(frame.text);
          if (frame instanceof ErrorFrame) tell(frame.error.message);
        }
      }
      const model = createOpenAI({ apiKey: 'key', baseURL: '${fake.url}' }).chat('fake');
      const service = new LLMService({ model });
      service.link(new Ears());
      service.receive(new StartFrame(8_000, 8_000), 'downstream');
      const context = new LLMContext({ messages: [{ role: 'user', content: 'Hello?' }] });
      await service.process(new LLMContextFrame(context, new Turn(1)), 'downstream');
      const voice = { specificationVersion: 'v4', provider: 'own.speech', modelId: 'x', doStream: async () => ({}) };
      await AiTTS.load({ model: voice }).catch(({ code, hint }) => tell({ code, hint }));`,
  );
  const refusal = { code: 'VB_CONFIG_INVALID', hint: 'npm install ai@7' };
  expect(told.filter((one) => typeof one === 'string').join('')).toBe('Hello, this is the bakery.');
  expect(told.at(-1)).toEqual(refusal);
});
