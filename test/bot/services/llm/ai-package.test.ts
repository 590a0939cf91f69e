import { type AiPackage, aiPackage, loadAiPackage } from '../../../../src/bot/services/llm/ai-package.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';

test('loads the package', async () => {
  expect(typeof (await loadAiPackage()).streamText).toBe('function');
});

test('loads and warms it once, without a word on the console', async () => {
  const spies = (['error', 'warn', 'log', 'info'] as const).map((kind) => jest.spyOn(console, kind));
  const first = aiPackage();
  expect(aiPackage()).toBe(first);
  expect(await first).toBe(await loadAiPackage());
  await LLMService.load();
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});

test('says how to install the package when it is missing', async () => {
  const missing = async () => {
    throw Object.assign(new Error("Cannot find package 'ai'"), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  await expect(loadAiPackage(missing)).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    hint: 'npm install ai @ai-sdk/openai',
  });
});

test('says so when the package is too old', async () => {
  const old = async () => ({ streamText: () => {} }) as unknown as AiPackage;
  await expect(loadAiPackage(old)).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    hint: expect.stringContaining('npm install ai@6'),
  });
});
