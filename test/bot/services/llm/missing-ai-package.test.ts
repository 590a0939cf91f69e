import { withOtherPackages } from '../../../jest/other-packages.js';

test('a bot whose ai package is missing is refused when it is started, and ends its pipeline otherwise', async () => {
  const told = await withOtherPackages(
    { ai: undefined },
    `
      import { LLMService } from 'dist/bot/services/llm/index.js';
      import { Pipeline, PipelineTask } from 'dist/bot/pipeline/index.js';
      const refused = ({ code, hint }) => tell({ code, hint });
      await LLMService.load().catch(refused);
      const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream: async () => ({}) };
      await new PipelineTask(new Pipeline([new LLMService({ model })])).run().catch(refused);`,
  );
  const refusal = { code: 'VB_CONFIG_INVALID', hint: 'npm install ai @ai-sdk/openai' };
  expect(told).toEqual([refusal, refusal]);
});
