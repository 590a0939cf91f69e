import { createOpenAI } from '@ai-sdk/openai';
import { ProviderError } from '../../../src/base/provider-error.js';
import { listedNames } from '../../../src/bot/services/listed-names.js';
import { askedModels } from '../../../src/bot/services/llm/model-choice.js';
import { ServiceHealth } from '../../../src/bot/services/service-health.js';

const whichOf = (...hosts: Array<string | undefined>) =>
  listedNames(
    'language_model',
    hosts.map((host) => ({ provider: 'OpenAI', model: 'gpt', host })),
  ).map(({ which }) => which);

test('two of the same vendor and model are told apart by their hosts, else by their places', () => {
  expect(whichOf('a.test')).toEqual([undefined]);
  expect(whichOf('a.test', 'b.test')).toEqual(['a.test', 'b.test']);
  expect(whichOf('a.test', 'b.test', 'a.test')).toEqual(['a.test number 1', 'b.test', 'a.test number 3']);
  expect(whichOf(undefined, undefined)).toEqual(['number 1', 'number 2']);
});

test('one that fails leaves the same model at another address, or with another key, well', () => {
  const model = (apiKey: string, baseURL: string) => createOpenAI({ apiKey, baseURL }).chat('gpt');
  const models = askedModels([
    model('secret-1', 'http://user:pass@a.test/v1'),
    model('secret-2', 'http://b.test/v1'),
    model('secret-3', 'http://b.test/v1'),
  ]);
  const health = new ServiceHealth();
  const [first, second, third] = models.map(({ name }) => name);
  if (!first || !second || !third) throw new Error('three were given');
  health.failed(second, new ProviderError('OpenAI', 'VB_PROVIDER_FAILED', 'gone'), async () => {});
  expect([first, second, third].map((name) => health.isWell(name))).toEqual([true, false, true]);
  expect(JSON.stringify(models.map(({ name }) => name))).not.toMatch(/secret|user|pass/);
  expect(first.which).toBe('a.test');
  health.works(second);
  expect(health.failing).toEqual([]);
});
