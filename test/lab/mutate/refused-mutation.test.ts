import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../../cli/in-process.js';

const MUTATION = JSON.stringify({ kind: 'keys_shifted' });

test('a runner refuses to serve a bot that is broken, wherever it is told so and whatever else it is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-refused-mutation-'));
  const door = { VOICEBOT_FUNCTIONS_URL: 'http://127.0.0.1:4711/functions' };
  const run = (environment: Record<string, string>) =>
    command(['run', '--sandbox', '--port', '0', '--json'], folder, { VOICEBOT_HOME: folder, ...environment }).finished;
  const told = await run({ VOICEBOT_MUTATION: MUTATION, ...door });
  expect(told.exitCode).toBe(3);
  expect(told.events.at(-1)).toMatchObject({ event: 'error', code: 'VB_CONFIG_INVALID' });
  expect(told.events.at(-1)?.message).toContain('VOICEBOT_MUTATION in the environment is not a setting');
  writeFileSync(join(folder, '.env.local'), `VOICEBOT_MUTATION=${MUTATION}\n`);
  expect((await run({})).events.at(-1)?.message).toContain('VOICEBOT_MUTATION in .env.local is not a setting');
});
