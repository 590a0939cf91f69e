import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledPath, prepareBot } from '../../../src/runner/bots/bot-source.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-source-'));
  file = join(directory, 'bot.ts');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** No process has it: the largest identifier Linux gives is 4194304. */
const NOBODY = 4_194_305;

test('TypeScript becomes one module: local files inside, packages outside, addresses as they were', async () => {
  writeFileSync(join(directory, 'part.ts'), "export const place: string = import.meta.url + '#part';\n");
  writeFileSync(
    file,
    "import { EndFrame } from 'voicebot';\nimport { place } from './part.js';\nexport const bot = () => [EndFrame, place];\n",
  );
  const { code } = await prepareBot(file);
  expect(code).toContain('from "voicebot"');
  expect(code).not.toContain('./part');
  expect(code).toContain(`file://${directory}/part.ts`);
});

test('JavaScript stays as it is', async () => {
  const script = join(directory, 'bot.mjs');
  writeFileSync(script, 'export function bot() {}\n');
  expect(await prepareBot(script)).toEqual({ file: script });
});

test('removes what a killed process left beside the bot, and nothing of a living one', async () => {
  writeFileSync(file, 'export function bot() {}\n');
  const [stray, used] = [compiledPath(file, NOBODY), compiledPath(file, process.pid)];
  writeFileSync(stray, '');
  writeFileSync(used, '');
  await prepareBot(file);
  expect([existsSync(stray), existsSync(used)]).toEqual([false, true]);
});
