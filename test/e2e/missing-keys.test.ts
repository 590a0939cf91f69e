import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { isAlive, isGroupAlive, until } from './processes.js';
import { Voicebot } from './voicebot.js';

const TEMPLATES = [
  ['carrier-dialin', 'carrier'],
  ['carrier-dialout', 'carrier'],
  ['rooms-dialin', 'rooms'],
  ['rooms-dialout', 'rooms'],
  ['cold-transfer', 'rooms'],
] as const;
const DEEPGRAM = 'https://console.deepgram.com';
const OPENAI = 'https://platform.openai.com/api-keys';
const CARTESIA = 'https://play.cartesia.ai/keys';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-keys-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Starts a template in a folder that has this `.env`, and lets it end. */
async function refused(template: string, transport: string, dotEnv: string) {
  writeFileSync(join(home, '.env'), dotEnv);
  const botFile = join(PACKAGE_ROOT, 'templates', template, 'bot.ts');
  const args = ['run', botFile, '--transport', transport, '--sandbox', '--port', '0'];
  await using voicebot = new Voicebot(args, { home, cwd: home });
  const exitCode = await voicebot.exitWatched();
  const pids = voicebot.children();
  await until(() => !pids.some((pid) => isAlive(pid) || isGroupAlive(pid)), 'all it has started ends');
  return { exitCode, lines: voicebot.lines.all, events: voicebot.events.all };
}

test.each(TEMPLATES)(
  '%s without any key: exit 3, naming each variable and where to get its key',
  async (template, transport) => {
    const { exitCode, lines, events } = await refused(template, transport, '');
    const message =
      `Credentials are missing: DEEPGRAM_API_KEY, OPENAI_API_KEY and CARTESIA_API_KEY are not set, ` +
      `and ${template} needs them`;
    const hint =
      `get DEEPGRAM_API_KEY at ${DEEPGRAM}, OPENAI_API_KEY at ${OPENAI}, CARTESIA_API_KEY at ${CARTESIA}, ` +
      `and put them into .env`;
    expect(exitCode).toBe(3);
    expect(events).toEqual([
      expect.objectContaining({ event: 'error', code: 'VB_CREDENTIALS_MISSING', message, hint }),
    ]);
    expect(lines).toEqual([`✖ ${message}`, `  ${hint}`, '  VB_CREDENTIALS_MISSING']);
  },
);

test('a key that .env has is there when the bot file loads; one that is left empty is missing', async () => {
  const dotEnv = 'DEEPGRAM_API_KEY=dg-secret\nOPENAI_API_KEY=\nCARTESIA_API_KEY=ca-secret\n';
  const { exitCode, lines } = await refused('carrier-dialin', 'carrier', dotEnv);
  expect(exitCode).toBe(3);
  const told = lines.join('\n');
  expect(told).toContain('OPENAI_API_KEY is not set, and carrier-dialin needs it');
  expect(told).toContain(`get OPENAI_API_KEY at ${OPENAI}, and put it into .env`);
  expect(told).not.toMatch(/DEEPGRAM|CARTESIA|secret/);
});
