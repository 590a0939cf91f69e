import { jest } from '@jest/globals';

jest.unstable_mockModule('ai', () => {
  throw new Error("Cannot find package 'ai'");
});

test('a bot whose ai package is missing is refused when it is started, and ends its pipeline otherwise', async () => {
  const { LLMService } = await import('../../../src/services/llm/index.js');
  const { Pipeline, PipelineTask } = await import('../../../src/pipeline/index.js');
  const refusal = { code: 'VB_CONFIG_INVALID', hint: 'npm install ai @ai-sdk/openai' };
  await expect(LLMService.load()).rejects.toMatchObject(refusal);

  const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream: async () => ({}) };
  const task = new PipelineTask(new Pipeline([new LLMService({ model })]));
  await expect(task.run()).rejects.toMatchObject(refusal);
});
