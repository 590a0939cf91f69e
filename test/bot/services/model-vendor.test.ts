import type { AiModel } from '../../../src/bot/services/model-kind.js';
import { accountOf, vendorOf } from '../../../src/bot/services/model-vendor.js';
import { withoutKey } from '../../../src/bot/services/vendor-socket.js';

const KEY = 'sk-secret-key-4711-0815-000';

const modelWith = (headers: unknown) =>
  ({ provider: 'openai.transcription', modelId: 'm', config: { headers } }) as unknown as AiModel;

test.each([
  ['has it at hand', () => ({ Authorization: `Bearer ${KEY}` })],
  ['gets it when it asks', async () => ({ Authorization: `Bearer ${KEY}` })],
])('the key of a model that %s is in no words of its vendor, and these are whole otherwise', (_, headers) => {
  const account = accountOf(modelWith(headers));
  expect(withoutKey(account, `unknown key ${KEY} of an unknown project`)).toBe(
    'unknown key [redacted] of an unknown project',
  );
});

test.each([
  ['openai.responses', 'OpenAI'],
  ['google.generative-ai', 'Google'],
  ['google.vertex.chat', 'Google Vertex'],
  ['mistral.chat', 'mistral'],
])('a model of %s is one of %s', (provider, name) => {
  expect(vendorOf({ provider }).name).toBe(name);
});
