import { expectAllKeysNamed, KEYS_AT, refusedTemplate } from './missing-keys.js';

test(
  'a template without any key: exit 3, naming each variable and where to get its key',
  () => expectAllKeysNamed('transfer', 'rooms'),
  30_000,
);

test('a key that .env has is there when the bot file loads; one that is left empty is missing', async () => {
  const dotEnv = 'DEEPGRAM_API_KEY=dg-secret\nOPENAI_API_KEY=\nCARTESIA_API_KEY=ca-secret\n';
  const { exitCode, lines } = await refusedTemplate('answer', 'carrier', dotEnv);
  expect(exitCode).toBe(3);
  const told = lines.join('\n');
  expect(told).toContain('OPENAI_API_KEY is not set, and the bot needs it');
  expect(told).toContain(`get OPENAI_API_KEY at ${KEYS_AT.OPENAI_API_KEY}, and put it into .env`);
  expect(told).not.toMatch(/DEEPGRAM|CARTESIA|secret/);
}, 30_000);
