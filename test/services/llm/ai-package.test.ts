import { type AiPackage, loadAiPackage } from '../../../src/services/llm/ai-package.js';

test('loads the package', async () => {
  expect(typeof (await loadAiPackage()).streamText).toBe('function');
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
  await expect(loadAiPackage(old)).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID', hint: 'npm install ai@6' });
});
