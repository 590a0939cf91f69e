import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { Voicebot } from '../e2e/voicebot.js';

const PAGE = readFileSync(join(PACKAGE_ROOT, 'docs/testing.md'), 'utf8');
const RUN = /<!-- a test runs this file -->\n```(yaml|ts)\n([\s\S]*?)^```$/gm;

test('the scenarios of the documentation that are whole files pass with the template answer', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-scenario-examples-'));
  cpSync(join(PACKAGE_ROOT, 'templates/answer/bot.ts'), join(home, 'bot.ts'));
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules', 'voicebot'));
  for (const name of ['@ai-sdk', 'ai', 'zod'])
    symlinkSync(join(PACKAGE_ROOT, 'node_modules', name), join(home, 'node_modules', name));
  mkdirSync(join(home, 'scenarios'));
  const files = [...PAGE.matchAll(RUN)];
  expect(files.length).toBe(2);
  for (const [at, [, kind, code = '']] of files.entries())
    writeFileSync(join(home, 'scenarios', kind === 'ts' ? `${at}.scenario.ts` : `${at}.yaml`), code);
  await using voicebot = new Voicebot(['test', '--bot', 'bot.ts'], { home, cwd: home });
  expect(await voicebot.exit).toBe(0);
  expect(voicebot.events.all.at(-1)).toMatchObject({ event: 'test_ended', passed: 2 });
}, 60_000);
